// Where the person is. The address after '#/' says it, so that Back is the browser's own. A pairing link has another shape
// (/p#PAYLOAD) and is taken out of the address at once.
import { signal } from "@preact/signals";

export type Route =
  | { at: "home" }
  | { at: "card"; machine: string; id: string; sheet: boolean }
  | { at: "history" }
  | { at: "machines" }
  | { at: "machine"; id: string }
  | { at: "rules"; id: string }
  | { at: "settings" }
  | { at: "pair"; step: "start" | "scan" | "paste" | "go" };

/** Reads an address's fragment; whatever it does not know is home. */
export function parse(hash: string): Route {
  const [head, a, b, c] = hash.replace(/^#\//, "").split("/").map(decodeURIComponent);
  switch (head) {
    case "card": return a && b ? { at: "card", machine: a, id: b, sheet: c === "why" } : { at: "home" };
    case "history": return { at: "history" };
    case "machine": return a ? { at: b === "rules" ? "rules" : "machine", id: a } : { at: "machines" };
    case "settings": return { at: "settings" };
    case "pair": return { at: "pair", step: a === "scan" || a === "paste" || a === "go" ? a : "start" };
    default: return { at: "home" };
  }
}

/** The present route. */
export const route = signal<Route>({ at: "home" });

export const cardAddress = (machine: string, id: string): string => `#/card/${encodeURIComponent(machine)}/${encodeURIComponent(id)}`;
export const machineAddress = (id: string): string => `#/machine/${encodeURIComponent(id)}`;

/** Goes to an address; the browser's Back returns. */
export function go(address: string): void { location.hash = address; }

/** Goes to an address in place of the present one. */
export function replace(address: string): void {
  history.replaceState(null, "", address);
  route.value = parse(location.hash);
}

/** Follows the address bar; returns its stop. Fragments that are not ours (a skip link) change nothing. */
export function startRouter(): () => void {
  const read = () => { if (location.hash === "" || location.hash.startsWith("#/")) route.value = parse(location.hash); };
  read();
  addEventListener("hashchange", read);
  addEventListener("popstate", read);
  return () => { removeEventListener("hashchange", read); removeEventListener("popstate", read); };
}
