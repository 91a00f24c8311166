// What a notification may show of a card, and which buttons it has. The person chose per machine; the call itself can only narrow that.

import { noAllow } from "../core/allowable.ts";
import { type Held, known } from "../core/cards.ts";
import type { MachineRecord } from "../core/records.ts";
import { hasSecret } from "./secret.ts";
import { type Whole, wholeCall } from "./whole.ts";

export interface Offer {
  /** The call may be on the lock screen; undefined: only that something waits. */
  call: Whole | undefined;
  /** What kind of call it is may be said there: the person lets calls be shown, and this one holds no secret. */
  kind: boolean;
  allow: boolean;
  deny: boolean;
}

/** Judges one card, here and now. */
export function offerOf(m: MachineRecord, held: Held): Offer {
  const { card } = held, why = noAllow(card, known(m, held)), chosen = m.lockScreen === "answer" || m.lockScreen === "show";
  const whole = chosen ? wholeCall(card) : undefined, plain = whole?.plain ? whole : undefined;
  const secret = hasSecret(card, plain?.parts ?? []), call = secret ? undefined : plain;
  const over = held.record.end !== undefined || held.answer !== undefined || why === "expired" || why === "already" || why === "watcher";
  return { call, kind: chosen && !secret, allow: !over && why === undefined && call !== undefined && m.lockScreen === "answer" && tappable(held), deny: !over };
}

/** Routine, for one person's tap alone, and what will run is what was asked. */
function tappable({ card }: Held): boolean {
  return card.kind === "call" && card.class === "routine" && card.needs.via === "tap" && card.needs.quorum <= 1 && (card.changes?.length ?? 0) === 0;
}
