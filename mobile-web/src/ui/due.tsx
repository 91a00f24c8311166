// The calm countdown: words at the start, the deadline at the end, feed holes between. The words change at whole minutes; nothing is live.
import type { JSX } from "preact";
import { left, tick, until } from "./clock.ts";
import { deadline } from "./store.ts";
import type { Waiting } from "../core/types.ts";

/** Milliseconds that a card still has. */
export const remaining = (w: Waiting): number => deadline(w) - tick.value;

function share(w: Waiting): number {
  const whole = w.card.expires - w.card.made;
  return whole <= 0 ? 0 : Math.max(0, Math.min(100, (remaining(w) / whole) * 100));
}

export function Due({ w }: { w: Waiting }): JSX.Element {
  return (
    <p class="due">
      <b>{left(remaining(w))}</b>
      <span class="feed" style={{ "--left": `${share(w).toFixed(1)}%` }} aria-hidden="true" />
      <span class="num">{until(deadline(w), tick.value)}</span>
    </p>
  );
}

/** The words alone, for the rail. */
export const DueWords = ({ w }: { w: Waiting }): JSX.Element => <span class="label">{left(remaining(w))}</span>;
