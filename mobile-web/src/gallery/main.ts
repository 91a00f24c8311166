// The gallery: every screen and state on made-up data, one per address (?state=NAME). For pictures and tests; never in dist.
import { choice } from "../ui/i18n.ts";
import { start } from "../ui/index.tsx";
import { cards, ends, machine, pasts, waits, ATTIC, STUDIO } from "./fixtures.ts";
import { fake, type Fake, type State } from "./fake.ts";
import type { Card, NoAllow, PairStep, PairStop, Progress } from "../core/types.ts";

interface Shown extends State { hash?: string; then?(core: Fake): void; ios?: boolean; press?: string; link?: string; throws?: boolean }

const home = [waits(cards.sensitive), waits(cards.routine), waits(cards.destructive)];
const address = (c: Card, end = ""): string => `#/card/${STUDIO}/${c.request_id}${end}`;

const one = (c: Card, more: { noAllow?: NoAllow } = {}): Shown => ({ machines: [machine()], waiting: [waits(c, more), ...home.filter((w) => w.card !== c)], hash: address(c) });

/** A card that ends while it is looked at. */
const ended = (c: Card, progress: Progress): Shown => ({ ...one(c), then: (core) => core.set(core.waiting().map((w) => (w.card === c ? { ...w, progress } : w))) });

const pairing = (...steps: PairStep[]): Shown => ({ steps, link: "/p#AHZ6Q3MN4V7KD2XW5TB8YJ3RC6GPF9LS2UE4HN7QKZ5MV8WD3XT6YB2JR9CG5PF4L" });
const confirm: PairStep = { at: "confirm", name: "Ana’s agent", host: "studio", relay: "relay.example.org", passkey: true };

function receipts(): Shown {
  const names = Object.keys(ends), list = names.map((_, i) => ({ ...cards.routine, request_id: (0x100 + i).toString(16).padStart(32, "0") }));
  return { machines: [machine()], waiting: list.map((c) => waits(c)), then: (core) => core.set(core.waiting().map((w, i) => ({ ...w, progress: ends[names[i]!]! }))) };
}

const STOPS: PairStop[] = ["two_devices", "wrong_digits", "old", "refused", "cancelled", "bad", "version", "not_ours", "no_storage", "unproven", "unreachable", "used"];
const NONE: NoAllow[] = ["undecodable", "empty", "log", "expired", "already", "watcher", "roster"];

const states: Record<string, () => Shown> = {
  "home": () => ({ machines: [machine()], waiting: home }),
  "home-empty": () => ({ machines: [machine()] }),
  "home-offline": () => ({ machines: [machine({ online: false, lastHeard: Date.now() - 660_000 })] }),
  "home-two": () => ({ machines: [machine(), machine({ id: ATTIC, host: "attic", online: false, trouble: "version" })], waiting: home.slice(0, 1) }),
  "home-paused": () => ({ machines: [machine({ pauseUntil: Date.now() + 840_000 })] }),
  "home-silent": () => ({ machines: [machine()], push: "off" }),
  "card-routine": () => one(cards.routine),
  "card-sensitive": () => one(cards.sensitive),
  "card-destructive": () => one(cards.destructive),
  "card-edit": () => one(cards.edit),
  "card-write": () => one(cards.write),
  "card-long": () => one(cards.long),
  "card-one-line": () => one(cards.one),
  "card-huge": () => one(cards.huge),
  "card-too-large": () => one(cards.large, { noAllow: "too_large" }),
  "card-fields": () => one(cards.fields),
  "card-question": () => one(cards.question),
  "card-admit": () => one(cards.admit),
  "card-policy": () => one(cards.policy),
  "card-rules": () => one(cards.rules),
  "card-quorum": () => one(cards.quorum),
  "card-twice": () => one(cards.broken),
  "card-nothing": () => one(cards.empty),
  "card-no-passkey": () => ({ machines: [machine({ passkey: false, devices: machine().devices.map((d) => ({ ...d, passkey: false })) })], waiting: [waits(cards.destructive)], hash: address(cards.destructive) }),
  "card-gone": () => ({ machines: [machine()], hash: "#/card/x/y" }),
  "deny-sheet": () => ({ ...one(cards.routine), hash: address(cards.routine, "/why") }),
  "passkey-failed": () => ({ ...one(cards.destructive), fails: true }),
  "receipts": receipts,
  "pair-start": () => ({}),
  "pair-scan": () => ({ hash: "#/pair/scan" }),
  "pair-paste": () => ({ hash: "#/pair/paste" }),
  "pair-connecting": () => pairing({ at: "connecting" }),
  "pair-confirm": () => pairing({ at: "testing" }, confirm),
  "pair-passkey-added": () => ({ ...pairing({ at: "testing" }, confirm), press: ".panel button" }),
  "pair-passkey-failed": () => ({ ...pairing({ at: "testing" }, confirm), fails: true, press: ".panel button" }),
  "pair-digits": () => pairing(confirm, { at: "digits", digits: "418203", name: "studio" }),
  "pair-admission": () => pairing(confirm, { at: "admission", name: "studio" }),
  "paired": () => ({ ...pairing(confirm, { at: "paired", machine: STUDIO, name: "Ana’s agent", host: "studio" }), machines: [machine({ lockScreen: "" })] }),
  "paired-silent": () => ({ ...pairing(confirm, { at: "paired", machine: STUDIO, name: "Ana’s agent", host: "studio" }), machines: [machine({ lockScreen: "" })], push: "off" }),
  "paired-untested": () => ({ ...pairing(confirm, { at: "paired", machine: STUDIO, name: "Ana’s agent", host: "studio" }), machines: [machine({ lockScreen: "" })], fails: true }),
  "ios-install": () => ({ ...pairing(), ios: true }),
  "history": () => ({ machines: [machine()], pasts, hash: "#/history" }),
  "history-empty": () => ({ machines: [machine()], hash: "#/history" }),
  "machine": () => ({ machines: [machine()], hash: `#/machine/${STUDIO}` }),
  "machines": () => ({ machines: [machine(), machine({ id: ATTIC, host: "attic", online: false })], hash: "#/machine" }),
  "rules": () => ({ machines: [machine()], hash: `#/machine/${STUDIO}/rules` }),
  "rules-empty": () => ({ machines: [machine({ rules: [] })], hash: `#/machine/${STUDIO}/rules` }),
  "settings": () => ({ machines: [machine()], hash: "#/settings" }),
  "settings-silent": () => ({ machines: [machine()], hash: "#/settings", push: "repair" }),
  "settings-newer": () => ({ machines: [machine()], hash: "#/settings", newer: true }),
  "broken": () => ({ throws: true }),
  ...Object.fromEntries(STOPS.map((why) => [`pair-stopped-${why}`, () => pairing(confirm, { at: "stopped", why, name: "studio" })])),
  ...Object.fromEntries(NONE.map((why) => [`no-allow-${why}`, () => one(why === "empty" ? cards.empty : cards.sensitive, { noAllow: why })])),
  ...Object.fromEntries(Object.entries(ends).map(([name, p]) => [`end-${name}`, () => ended(cards.routine, p)])),
};

async function show(shown: Shown): Promise<void> {
  const root = document.getElementById("app")!, core = fake(shown);
  if (shown.ios) Object.defineProperty(navigator, "userAgent", { value: "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Safari/605" });
  history.replaceState(null, "", shown.link ?? `/${location.search}${shown.hash ?? ""}`);
  await start(() => (shown.throws ? Promise.reject(new Error("no storage")) : core), root);
  const soon = () => new Promise((done) => setTimeout(done, 30));
  await soon();
  while (shown.steps !== undefined && shown.steps.length > 0 && core.asked.length === 0) await soon();
  await soon();
  shown.then?.(core);
  if (shown.press !== undefined) document.querySelector<HTMLElement>(shown.press)!.click();
  Object.assign(globalThis, { core, ready: true, added: () => core.set([...core.waiting(), waits({ ...cards.sensitive, request_id: "f".repeat(32) })]) });
}

const asked = new URLSearchParams(location.search), name = asked.get("state") ?? "home";
localStorage.setItem("answerback.language", asked.get("lang") ?? "");
choice.value = asked.get("lang") === "pt-BR" ? "pt-BR" : "en";
Object.assign(globalThis, { states: Object.keys(states) });
void show(states[name]!());
