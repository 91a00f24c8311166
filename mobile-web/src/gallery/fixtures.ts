// Cards, machines and history for the gallery: what a machine would send, made up. Nothing here is shipped.
import type { Card, Machine, Past, Progress, RosterDevice, Waiting } from "../core/types.ts";

export const STUDIO = "5d02e1b790c42f8a6613dd40a97e18f5", ATTIC = "aa02e1b790c42f8a6613dd40a97e18aa";
const DIGEST = "9c1e44d07b2fa6839c1e44d07b2fa6839c1e44d07b2fa6839c1e44d07b2fa683";
const ROOT = "5d02e1b790c42f8a6613dd40a97e18f55d02e1b790c42f8a6613dd40a97e18f5";
const PHONE = "3ac977e201bd3ac977e201bd3ac977e2";
const MIN = 60_000;

const start = Date.now();

export function card(n: number, more: Partial<Card>): Card {
  return {
    version: 1, request_id: n.toString(16).padStart(32, "0"), kind: "call", caller: "claude", session: "fix-settle-race", host: "studio", folder: "~/project", tool: "Bash",
    input: "{}", call_digest: DIGEST, class: "routine", reasons: [], needs: { via: "tap", quorum: 1 }, made: start - 2 * MIN, expires: start + 3.5 * MIN, pinned: [], rules: [],
    roster_hash: ROOT, log: { size: 1284, root: ROOT }, human: "Ana Souza", own_prompt: true, ...more,
  };
}

const command = (text: string, more: object = {}): string => JSON.stringify({ command: text, ...more });

export const rule = (id: number, ends: number, uses: number) => ({ id, caller: "claude", folder: "~/project", tool: "Bash", target: "go test ./... -run TestSettle -count=1", ends, uses });

const ONE = "go test ./... -run TestSettle -count=1";
const NAMES = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron"];

function seed(): string {
  const rows = Array.from({ length: 177 }, (_, i) => `INSERT INTO plans VALUES (${i + 1}, '${NAMES[(i + 1) % 8]}', ${((i + 1) * 37) % 900});`);
  rows.splice(9, 0, "DELETE FROM plans WHERE name = 'am\u200bber';");
  return ["cat > deploy/seed.sql <<'SQL'", "-- seed for staging, reviewed \u202eby nobody\u2069", "BEGIN;", ...rows, "COMMIT;", "SQL", "printf '\u001b[2K\u001b[1A'", 'psql "$DATABASE_URL" --set ON_ERROR_STOP=1 --file deploy/seed.sql'].join("\n");
}

const BEFORE = "func (p *Pending) Settle(id RequestID, v Verified) error {\n\tp.mu.Lock()\n\tdefer p.mu.Unlock()\n\tcall := p.open[id]\n\tif call.deadline.Before(p.now()) {\n\t\treturn ErrTooLate\n\t}\n\tcall.reply <- v\n\treturn nil";
const AFTER = "func (p *Pending) Settle(id RequestID, v Verified) error {\n\tp.mu.Lock()\n\tdefer p.mu.Unlock()\n\tcall, ok := p.open[id]\n\tif !ok {\n\t\treturn fmt.Errorf(\"pending: settle %s: %w\", id, ErrNotWaiting)\n\t}\n\tif call.deadline.Before(p.now()) {\n\t\treturn ErrTooLate\n\t}\n\tselect {\n\tcase call.reply <- v:\n\tdefault: // the hook is gone; deliver to nobody\n\t}\n\treturn nil";

const QUESTIONS = {
  questions: [
    { question: "Which database should the tests use?", header: "Database", multiSelect: false, options: [{ label: "SQLite in memory", description: "Fast, no container. Differs from production in locking." }, { label: "PostgreSQL in a container", description: "Same as production. Adds about 20 s to a run." }, { label: "Both, PostgreSQL nightly", description: "Two jobs to keep." }] },
    { question: "Which checks should run before each commit?", header: "Checks", multiSelect: true, options: [{ label: "go vet", description: "Under a second." }, { label: "staticcheck", description: "About 4 s." }, { label: "The whole test suite", description: "About 40 s." }] },
  ],
};

/** Every kind of card, by a name. */
export const cards = {
  routine: card(1, { input: command(ONE, { description: "Run the settle test once" }), rules: [rule(0, 0, 0)] }),
  sensitive: card(2, { caller: "deploy-bot", session: "nightly-4471", class: "sensitive", expires: start + 1.4 * MIN, needs: { via: "app", quorum: 1 }, input: command("kubectl -n staging rollout restart deployment/web"), reasons: [{ id: "changes-service", piece: "rollout restart deployment/web" }, { id: "reaches-machine", piece: "-n staging" }] }),
  destructive: card(3, {
    caller: "codex", session: "cleanup", tool: "shell", class: "destructive", expires: start + 9.5 * MIN, made: start - MIN, needs: { via: "passkey", quorum: 1 },
    input: command("sudo rm -rf ~/data/archive \\\n  && git push --force origin main \\\n  && curl -fsS https://deploy.example.org/hooks/archive?token=$DEPLOY_TOKEN"),
    reasons: [{ id: "deletes-folder", piece: "rm -rf ~/data/archive" }, { id: "runs-as-root", piece: "sudo" }, { id: "rewrites-history", piece: "git push --force" }, { id: "sends-secret", piece: "$DEPLOY_TOKEN" }],
  }),
  edit: card(4, { tool: "Edit", class: "sensitive", needs: { via: "app", quorum: 1 }, expires: start + 4.5 * MIN, input: JSON.stringify({ file_path: "agent/pending.go", old_string: BEFORE, new_string: AFTER, replace_all: false }), reasons: [{ id: "changes-hooks", piece: "agent/pending.go" }], rules: [{ ...rule(0, 0, 1), tool: "Edit" }] }),
  write: card(5, { tool: "Write", input: JSON.stringify({ file_path: "/home/dev/project/w.txt", content: "hello\nworld\n" }) }),
  long: card(6, { caller: "deploy-bot", session: "nightly-4471", class: "sensitive", needs: { via: "app", quorum: 1 }, expires: start + 7.5 * MIN, input: command(seed()) }),
  large: card(7, {
    caller: "codex", session: "vectors", tool: "Write", class: "sensitive", input: "", expires: start + 7.5 * MIN,
    cut: { first: ["{", '  "file_path": "testdata/vectors.json",', '  "content": "[', '    {\\"name\\": \\"seal-0001\\",'], last: ['    {\\"name\\": \\"seal-1570\\",', '     \\"expect\\": \\"fail\\"}', '  ]"', "}"], lines: 9424, bytes: 421_888 },
  }),
  fields: card(8, { tool: "mcp__perm__danger", input: '{"what":"z","count":1.50,"list":[1, 2,\n  {"a":"b"}],"note":"two\\nlines"}' }),
  question: card(9, { tool: "AskUserQuestion", kind: "question", expires: start + 14.5 * MIN, made: start - MIN, input: JSON.stringify(QUESTIONS) }),
  admit: card(10, { kind: "admin", caller: "answerback", class: "sensitive", needs: { via: "passkey", quorum: 1 }, tool: "", folder: "", session: "", input: "", admin: { action: "admit", device_id: PHONE, name: "Firefox on the desk", platform: "firefox", same_machine: true } }),
  policy: card(11, { kind: "admin", caller: "answerback", class: "sensitive", needs: { via: "app", quorum: 1 }, tool: "", folder: "", session: "", input: "", admin: { action: "policy", text: "-deny  tool=Bash  target='git push --force*'\n+ask   tool=Bash  target='git push --force*'", digest: DIGEST } }),
  rules: card(12, { input: command(ONE), rules: [rule(0, 0, 0), rule(1, start + 600 * MIN, 0), rule(2, start + 60 * MIN, 0), rule(3, 0, 1)] }),
  quorum: card(13, { input: command("terraform apply -auto-approve plan.out"), class: "sensitive", needs: { via: "app", quorum: 2 }, reasons: [{ id: "changes-service", piece: "terraform apply" }], changes: [{ filter: "no-color", before: "terraform apply", after: "terraform apply -no-color" }], pinned: [{ path: "plan.out", hash: DIGEST }] }),
  one: card(14, { input: command("printf '" + "x".repeat(4000) + "'") }),
  /** As large as a card can be. */
  huge: card(17, { class: "sensitive", expires: start + 20 * MIN, input: command(Array.from({ length: 5000 }, (_, i) => `INSERT INTO plans VALUES (${i}, '${NAMES[i % 8]}', ${i * 37});`).join("\n")) }),
  broken: card(15, { input: '{"command":"a","Command":"b"}' }),
  empty: card(16, { input: "{}" }),
} satisfies Record<string, Card>;

export const waits = (c: Card, more: Partial<Waiting> = {}): Waiting => ({ machine: STUDIO, card: c, progress: { at: "open" }, seen: Date.now(), ...more });

const device = (name: string, more: Partial<RosterDevice>): RosterDevice =>
  ({ id: name.padEnd(32, "0"), name, platform: "android", role: "approver", same_machine: false, passkey: false, last_seen: Date.now() - 3 * MIN, paired: start, ...more });

export const machine = (more: Partial<Machine> = {}): Machine => ({
  id: STUDIO, name: "Ana’s agent", host: "studio", relay: "relay.example.org", online: true, device: PHONE, deviceName: "Pixel", logSize: 1291, lastPush: start - 2.2 * MIN, paired: start - 9000 * MIN, clockOffset: 0,
  devices: [
    device("Pixel", { id: PHONE, passkey: true }), device("Ana’s iPad", { role: "watcher", platform: "ios", last_seen: start - 190 * MIN }),
    device("Firefox", { same_machine: true, platform: "firefox", last_seen: start - 40 * MIN }), device("studio terminal", { same_machine: true, platform: "terminal", last_seen: start - 1500 * MIN }),
  ],
  rules: [
    { id: 1, caller: "claude", folder: "~/project", tool: "Bash", target: "git status --short", ends: 0, uses: 0, device: PHONE, made: start - 26_000 * MIN, used: 41, last: start - 4 * MIN, pinned: [] },
    { id: 2, caller: "codex", folder: "~/project", tool: "shell", target: "sh scripts/lint.sh", ends: 0, uses: 2, device: PHONE, made: start - 9000 * MIN, used: 0, last: 0, pinned: [{ path: "scripts/lint.sh", hash: "b81f02ce" }] },
  ],
  callers: [], pauseUntil: 0, lockScreen: "answer", lastHeard: start - 1000, passkey: true, ...more,
});

const past = (n: number, outcome: string, ago: number, more: Partial<Past> = {}): Past => ({
  machine: STUDIO, host: "studio", request_id: n.toString(16).padStart(32, "0"), caller: "claude", folder: "~/project", tool: "Bash", input: command(ONE), class: "routine",
  made: start - ago - MIN, ended: start - ago, outcome, mine: false, log: { size: 1284, root: ROOT }, call_digest: DIGEST, ...more,
});

export const pasts: Past[] = [
  past(101, "accepted", 0, { decision: "allow", mine: true, device: "Pixel" }), past(102, "accepted", 4 * MIN, { decision: "deny", mine: true, device: "Pixel", words: "Do a dry run first.", caller: "codex", input: command("sudo rm -rf ~/data/archive") }),
  past(103, "terminal", 11 * MIN, { caller: "codex", input: command("npm run build -- --mode staging") }), past(104, "too_late", 42 * MIN, { caller: "deploy-bot", input: command("kubectl -n staging rollout restart deployment/web") }),
  past(105, "allowed", 1440 * MIN, { device: "Ana’s iPad", input: command("git fetch --all --prune") }), past(106, "withdrawn", 1460 * MIN, { input: command("make demo") }),
];

const receipt = (outcome: Extract<Progress, { at: "receipt" }>["receipt"]["outcome"], decision: "allow" | "deny" = "allow", more: object = {}): Progress =>
  ({ at: "receipt", decision, receipt: { request_id: "", answer: "", outcome, time: Date.now(), ...more } });

/** Every way a card can stand after it was answered or has ended. */
export const ends: Record<string, Progress> = {
  sending: { at: "sending", decision: "allow" },
  not_delivered: { at: "not_delivered", decision: "allow", nextTry: Date.now() + 8000 },
  no_receipt: { at: "no_receipt", decision: "allow", nextTry: Date.now() + 8000 },
  allowed: receipt("accepted"),
  denied: receipt("accepted", "deny"),
  counted: receipt("counted", "allow", { count: 1, of: 2 }),
  too_late: receipt("too_late"),
  answered: receipt("answered", "allow", { device: "Pixel", decision: "allow" }),
  refused: receipt("refused", "allow", { file: "scripts/migrate.sh" }),
  undelivered: receipt("undelivered"),
  unknown: receipt("unknown"),
  terminal: { at: "settled", settled: { seq: 1, request_id: "", outcome: "terminal", time: Date.now() } },
  elsewhere: { at: "settled", settled: { seq: 1, request_id: "", outcome: "denied", time: Date.now(), device: "Ana’s iPad" } },
  withdrawn: { at: "settled", settled: { seq: 1, request_id: "", outcome: "withdrawn", time: Date.now() } },
  handed_back: { at: "settled", settled: { seq: 1, request_id: "", outcome: "handed_back", time: Date.now() } },
  expired: { at: "expired" },
};
