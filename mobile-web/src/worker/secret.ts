// Whether a call carries a secret. Such a call is never shown on a lock screen, whatever the person chose. The patterns are those by which
// the machine keeps secrets out of its log, but laxer: here a false alarm costs one tap, a miss shows a password to whoever passes by.

import type { Card } from "../core/types.ts";

const NAME = "[\\w-]*(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?-?KEY|ACCESS_?-?KEY|PRIVATE_?-?KEY|CREDENTIALS?|AUTH_?-?KEY|COOKIE)[\\w-]*";

const PATTERNS: readonly RegExp[] = [
  // tokens that say by their beginning what they are
  /\b(?:[srp]k[-_][-\w]{16,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[-\w]{16,}|xox[abeprs]-[-A-Za-z0-9]{10,}|xapp-[-A-Za-z0-9]{10,}|npm_\w{20,}|pypi-[-\w]{16,}|hf_\w{20,}|dop_v1_\w{32,})/,
  /\b(?:SG\.[-\w]{16,}\.[-\w]{16,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[-\w]{30,}|ya29\.[-\w]{16,}|AGE-SECRET-KEY-1\w{40,}|eyJ[-\w]{8,}\.[-\w]{8,}\.[-\w]{8,})/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bbearer\s+\S/i, /\bauthorization\b["']?\s*[:=]\s*\S/i, /\b(?:basic|digest|token)\s+[\w./+=:-]{12,}/i,
  // NAME=value, "name": "value", --name value
  new RegExp(`\\b${NAME}["']?\\s*[=:]\\s*["']?[^\\s"']`, "i"), new RegExp(`--(?:${NAME}|pass|auth)[= ]\\s*\\S`, "i"),
  // passwords and keys in addresses
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:[^\s/@]+@/i, /[?&](?:key|sig|signature|code)=[\w%.~+-]{6,}/i,
  // cookies and curl's own ways
  /\b(?:set-)?cookie:\s*\S/i, /\bx-[\w-]*(?:key|token|auth)[\w-]*:\s*\S/i, /\bcurl\b[^\n;|]*\s(?:-[A-Za-z]*[bu]|--cookie|--user|-U|--proxy-user)[ =]?\s*\S/,
];

/** What the machine found out about a call and says on its card: it moves a secret. */
const REASONS = ["reads-secret", "sends-secret", "changes-keys"];

/** texts: everything of the call that would be shown. */
export function hasSecret(card: Card, texts: readonly string[]): boolean {
  return card.reasons.some((r) => REASONS.includes(r.id)) || texts.some((text) => PATTERNS.some((p) => p.test(text)));
}
