// The heads of a machine's log that its cards have named. A log only grows: of two cards the one made later names the larger log, and one
// size has one root. A card may arrive after a later one (two calls at once, a push beside the link), so what counts is when the machine
// made it, not when it came (docs/adr/0001).

/** One head, and when the card that named it was made, by the machine's clock. */
export interface Head { size: number; root: string; made: number }

/** The newest heads of one machine, the largest last. */
export interface HeadRecord { heads: Head[] }

const KEPT = 64;

/** Whether a head cannot be of the same log as those before it: the log was cut or forked. */
export function contradicts(before: readonly Head[], head: Head): boolean {
  return before.some((b) => (b.size === head.size ? b.root !== head.root : b.size > head.size && head.made > b.made));
}

/** The heads with one more. One that contradicts is not taken: it would hide the fault of the next. */
export function withHead(before: readonly Head[], head: Head): Head[] {
  if (contradicts(before, head) || before.some((b) => b.size === head.size)) return [...before];
  return [...before, head].sort((a, b) => a.size - b.size).slice(-KEPT);
}
