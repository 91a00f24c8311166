// A core that plays one state. What the screens ask of it is kept, so that a test can look.
import type { Core, Machine, Past, PairStep, PushState, Waiting } from "../core/types.ts";

export interface Asked { what: string; args: unknown[] }

export interface Fake extends Core {
  asked: Asked[];
  /** Replaces what waits and tells the screens. */
  set(waiting: Waiting[]): void;
}

export interface State { machines?: Machine[]; waiting?: Waiting[]; pasts?: Past[]; steps?: PairStep[]; fails?: boolean; newer?: boolean; push?: PushState }

export function fake(s: State): Fake {
  let waiting = s.waiting ?? [];
  const listeners = new Set<() => void>(), asked: Asked[] = [];
  const note = (what: string) => (...args: unknown[]): Promise<void> => { asked.push({ what, args }); return s.fails ? Promise.reject(Object.assign(new Error("no"), { name: "NotConfirmed" })) : Promise.resolve(); };
  const turn = (to: PushState): PushState => { s.push = to; listeners.forEach((f) => f()); return to; };
  return {
    asked,
    set(next) { waiting = next; listeners.forEach((f) => f()); },
    machines: () => s.machines ?? [],
    waiting: () => waiting,
    history: () => Promise.resolve(s.pasts ?? []),
    subscribe(f) { listeners.add(f); return () => listeners.delete(f); },
    pair(link, name, onStep) {
      asked.push({ what: "pair", args: [link, name] });
      for (const step of s.steps ?? []) queueMicrotask(() => onStep(step));
      return { confirm: (passkey) => void note("confirm")(passkey), cancel: () => void note("cancel")() };
    },
    makePasskey: (host) => note("makePasskey")(host).then(() => ({ id: new Uint8Array(32), publicKey: new Uint8Array(42), transports: ["internal"] })),
    answer: note("answer"), unpair: note("unpair"), removeDevice: note("removeDevice"), pause: note("pause"), resume: note("resume"),
    removeRule: note("removeRule"), setLockScreen: note("setLockScreen"), retry: () => void note("retry")(), newVersion: () => s.newer ?? false, useNewVersion: () => void note("useNewVersion")(),
    pushState: () => s.push ?? "on", enablePush: () => note("enablePush")().then(() => turn("on")), disablePush: () => note("disablePush")().then(() => void turn("off")), testPush: note("testPush"),
    speaks: () => undefined,
    about: () => Promise.resolve({ build: "7c1e90aa43d8b5f2", origin: "https://relay.example.org", persisted: true }),
  };
}
