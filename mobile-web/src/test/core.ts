// The core without screens, for tests that drive it from outside: the page's own createCore, and what the tests ask of it.

import { confirmedBy } from "../core/allowable.ts";
import { createCore } from "../core/index.ts";
import type { PairStep } from "../core/types.ts";

const steps: PairStep[] = [];

/** Waits until check holds; the last value seen goes into the error. */
async function until<T>(look: () => T, check: (v: T) => boolean, ms = 10_000): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const v = look();
    if (check(v)) return v;
    if (Date.now() > end) throw new Error(`waited in vain: ${JSON.stringify(v)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const core = await createCore();
Object.assign(globalThis, {
  core, steps, until,
  confirmedBy,
  /** Pairs and answers the question with yes, and with a passkey if the test says withPasskey; resolves with the first step of the wanted kind. */
  async pair(link: string, want: PairStep["at"], name = "Test phone"): Promise<PairStep> {
    steps.length = 0;
    const pairing = core.pair(link, name, (s) => {
      steps.push(s);
      if (s.at !== "confirm") return;
      if ((globalThis as { withPasskey?: boolean }).withPasskey) void core.makePasskey(s.host).then((made) => pairing.confirm(made));
      else pairing.confirm();
    });
    Object.assign(globalThis, { pairing });
    return (await until(() => steps, (all) => all.some((s) => s.at === want || s.at === "stopped"))).find((s) => s.at === want || s.at === "stopped")!;
  },
});
Object.assign(globalThis, { ready: true });
