// A line diff that never folds: every line of both texts is there, once when it is in both. Ends and beginnings in common are set
// aside, the rest is compared by longest common subsequence; beyond a fixed amount of work all old lines stand before all new ones,
// which is still the whole truth.

export interface Row { kind: "same" | "del" | "add"; text: string }

const MOST = 2_000_000; // cells of the table

/** The rows from old text to new text, split at line feeds only: no byte is dropped. */
export function diff(before: string, after: string): Row[] {
  const a = before.split("\n"), b = after.split("\n");
  let start = 0, end = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return [
    ...rows("same", a.slice(0, start)),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...rows("same", a.slice(a.length - end)),
  ];
}

const rows = (kind: Row["kind"], lines: string[]): Row[] => lines.map((text) => ({ kind, text }));

function middle(a: string[], b: string[]): Row[] {
  if (a.length === 0 || b.length === 0 || a.length * b.length > MOST) return [...rows("del", a), ...rows("add", b)];
  return walk(a, b, table(a, b));
}

/** common[i * width + j]: the longest common subsequence of a from i and b from j. */
function table(a: string[], b: string[]): Uint32Array {
  const width = b.length + 1, common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1]! + 1 : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  return common;
}

function walk(a: string[], b: string[], common: Uint32Array): Row[] {
  const width = b.length + 1, out: Row[] = [];
  let i = 0, j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) { out.push({ kind: "same", text: a[i]! }); i++; j++; }
    else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) out.push({ kind: "del", text: a[i++]! });
    else out.push({ kind: "add", text: b[j++]! });
  }
  return [...out, ...rows("del", a.slice(i)), ...rows("add", b.slice(j))];
}

/** How many lines came and went. */
export const tally = (all: Row[]): { added: number; removed: number } => ({
  added: all.filter((r) => r.kind === "add").length,
  removed: all.filter((r) => r.kind === "del").length,
});
