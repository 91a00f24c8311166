// The one function that makes hidden characters visible, on every surface: control characters, direction changes, characters that take
// no room, odd spaces, half characters. Digests and signatures are always over the original bytes.

/** Why a character does not show itself. */
export type Hidden = "control" | "bidi" | "invisible" | "space" | "half";

/** A run of text as it is, or one hidden character by its name (text), with the reason. */
export interface Token { text: string; hidden?: Hidden }

const HIDDEN: [Hidden, RegExp][] = [
  ["half", /^\p{Surrogate}$/u],
  ["control", /^\p{Cc}$/u],
  ["bidi", /^[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]$/u],
  ["invisible", /^[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]$/u],
  ["space", /^(?! )[\p{Zs}\p{Zl}\p{Zp}]$/u],
];
const KNOWN_PLAIN = /^[\x20-\x7e\n\t]$/;

function reason(c: string): Hidden | undefined {
  if (KNOWN_PLAIN.test(c)) return undefined;
  return HIDDEN.find(([, pattern]) => pattern.test(c))?.[0];
}

/** U+XXXX, at least four digits. */
function nameOf(c: string): string {
  return `U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The text in pieces; joined, every hidden character has become its name. */
export function visibleTokens(s: string): Token[] {
  const out: Token[] = [];
  let plain = "";
  for (const c of s) {
    const hidden = reason(c);
    if (hidden === undefined) {
      plain += c;
      continue;
    }
    if (plain !== "") out.push({ text: plain });
    out.push({ text: nameOf(c), hidden });
    plain = "";
  }
  if (plain !== "") out.push({ text: plain });
  return out;
}
