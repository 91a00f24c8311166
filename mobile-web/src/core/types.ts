// What the core tells the screens. Plain data: nothing here knows a key, a socket or the DOM.

/** Class of a call, as the machine says it. */
export type Class = "routine" | "sensitive" | "destructive";

/** A reason for the class: an id that is said in the person's language, and the piece of the call that it points to. */
export interface Reason { id: string; piece: string }

/** An exact rule that "Always" would make, word for word. */
export interface ExactRule { id: number; caller: string; folder: string; tool: string; target: string; ends: number; uses: number }

/** One card: what a machine asks about one call. Times are milliseconds since 1970 by the machine's clock. */
export interface Card {
  version: 1;
  request_id: string;
  kind: "call" | "question" | "admin";
  caller: string;
  session: string;
  subagent?: { id: string; type: string };
  host: string;
  folder: string;
  tool: string;
  /** The caller's raw JSON bytes as one string; never run through JSON.parse. */
  input: string;
  changes?: { filter: string; before: string; after: string }[];
  call_digest: string;
  class: Class;
  reasons: Reason[];
  needs: { via: "tap" | "app" | "passkey"; quorum: number };
  made: number;
  expires: number;
  pinned: { path: string; hash: string }[];
  rules: ExactRule[];
  roster_hash: string;
  log: { size: number; root: string };
  human: string;
  /** The caller's own prompt is open at its terminal while the card waits. */
  own_prompt: boolean;
  /** Present when the call is too large to show: no Allow. */
  cut?: { first: string[]; last: string[]; lines: number; bytes: number };
  /** What the machine asks for itself: a device by id and name, or a text to be signed, with the digest of the whole. */
  admin?:
    | { action: "admit" | "recover"; device_id: string; name: string; platform: string; same_machine: boolean }
    | { action: "policy" | "rule"; text: string; digest: string };
}

/** The machine's word on an answer. */
export interface Receipt {
  request_id: string;
  answer: string;
  outcome: "accepted" | "counted" | "too_late" | "answered" | "undelivered" | "refused" | "unknown" | "withdrawn";
  time: number;
  count?: number;
  of?: number;
  device?: string;
  decision?: string;
  reason?: string;
  file?: string;
}

/** How a card ended without this device. */
export interface Settled {
  seq: number;
  request_id: string;
  outcome: "allowed" | "denied" | "answered" | "handed_back" | "withdrawn" | "expired" | "terminal";
  time: number;
  device?: string;
  decision?: string;
}

/** A device in a machine's roster. */
export interface RosterDevice {
  id: string; name: string; platform: string; role: "approver" | "watcher";
  same_machine: boolean; passkey: boolean; last_seen: number; paired: number;
}

/** One rule that holds on a machine. ends 0: no end; uses 0: any number, else how many are left. */
export interface RuleRow {
  id: number; caller: string; folder: string; tool: string; target: string; ends: number; uses: number;
  device: string; made: number; used: number; last: number; pinned: { path: string; hash: string }[];
}

/** What this device's lock screen may show of a call; "" is not chosen yet: only that something waits. */
export type LockScreen = "" | "answer" | "show" | "hide";

/** A caller that has asked on a machine; answers false: it asks in its own terminal only. */
export interface CallerRow { name: string; last_seen: number; answers: boolean }

/** A paired machine, as the screens show it. */
export interface Machine {
  /** agent id, hex. */
  id: string;
  name: string;
  host: string;
  relay: string;
  /** The link to the relay is up and the machine has spoken over it. */
  online: boolean;
  /** This device's own id and name there. */
  device: string;
  deviceName: string;
  devices: RosterDevice[];
  logSize: number;
  lastPush: number;
  paired: number;
  /** The machine's clock minus ours, in milliseconds. */
  clockOffset: number;
  /** A sentence id: the machine speaks no version that we do; its log was cut or forked; this browser lost the keys, so only pairing again helps. */
  trouble?: "version" | "log" | "keys" | "removed";
  /** As of the machine's last state; empty before the first. */
  rules: RuleRow[];
  callers: CallerRow[];
  pauseUntil: number;
  lockScreen: LockScreen;
  /** Our clock, ms, when the machine last spoke; 0 is never. */
  lastHeard: number;
  /** This device keeps a passkey for it. Whether the machine knows it too, its row in devices says. */
  passkey: boolean;
}

/** Why a card offers no Allow. */
export type NoAllow = "too_large" | "undecodable" | "empty" | "log" | "expired" | "already" | "watcher" | "roster";

/** Where an answer stands. Only `receipt` comes from the machine. */
export type Progress =
  | { at: "open" }
  | { at: "sending"; decision: Decision }
  | { at: "not_delivered"; decision: Decision; nextTry: number }
  | { at: "no_receipt"; decision: Decision; nextTry: number }
  | { at: "receipt"; decision: Decision; receipt: Receipt }
  | { at: "settled"; settled: Settled }
  | { at: "expired" };

export type Decision = "allow" | "deny" | "answered" | "hand_back";

/** A card with what this device knows about it. Identity: machine + request_id. */
export interface Waiting {
  machine: string;
  card: Card;
  /** Set when Allow must not be offered. */
  noAllow?: NoAllow;
  progress: Progress;
  /** Our clock, ms, when it first arrived. */
  seen: number;
}

/** One line of this phone's own history. */
export interface Past {
  machine: string; host: string; request_id: string; caller: string; folder: string; tool: string; input: string; class: Class;
  made: number; ended: number; outcome: string; device?: string; decision?: string; mine: boolean; words?: string;
  log: { size: number; root: string }; call_digest: string;
}

/** A pairing in progress, as the screens show it. */
export type PairStep =
  | { at: "connecting" }
  /** passkey: one can be made here. */
  | { at: "confirm"; name: string; host: string; relay: string; passkey: boolean }
  | { at: "testing" }
  | { at: "digits"; digits: string; name: string }
  | { at: "admission"; name: string }
  | { at: "paired"; machine: string; name: string; host: string }
  | { at: "stopped"; why: PairStop; name?: string };

export type PairStop = "two_devices" | "wrong_digits" | "old" | "refused" | "cancelled" | "bad" | "version" | "not_ours" | "no_storage" | "unproven" | "unreachable" | "used";

/** A passkey that was just made, and that no machine knows yet: its id, its public key as COSE, and how the browser reaches it. */
export interface NewPasskey { id: Uint8Array<ArrayBuffer>; publicKey: Uint8Array<ArrayBuffer>; transports: string[] }

/** A pairing that the screens drive: confirm or cancel; steps arrive by the callback. */
export interface Pairing { confirm(passkey?: NewPasskey): void; cancel(): void }

/** Whether pushes reach this device, or why not: not asked for; denied in the browser; not possible here; only for the installed app; broken, and the person can repair it. "unknown" until it was looked at. */
export type PushState = "on" | "off" | "denied" | "unsupported" | "needs_install" | "repair" | "unknown";

/** The core as the screens see it. Every list is a whole, new array at each change; subscribe returns its own undo. */
export interface Core {
  machines(): Machine[];
  waiting(): Waiting[];
  history(): Promise<Past[]>;
  subscribe(onChange: () => void): () => void;
  /** Throws a PairStop word when the text is no link of ours. */
  pair(link: string, deviceName: string, onStep: (s: PairStep) => void): Pairing;
  /** Makes a passkey for a machine that is about to be paired. In a tap only; rejects when the person, or the browser, did not. */
  makePasskey(host: string): Promise<NewPasskey>;
  /** In a tap, because it may ask for the passkey. Rejects when nothing was sent; by the name NotConfirmed: the passkey said no. */
  answer(machine: string, requestId: string, decision: Decision, extra?: { words?: string; rule?: number; answers?: string }): Promise<void>;
  unpair(machine: string): Promise<void>;
  removeDevice(machine: string, device: string): Promise<void>;
  /** Orders that this device signs; each resolves when the machine's state shows it, and rejects when none came in time. */
  pause(machine: string, minutes: number): Promise<void>;
  resume(machine: string): Promise<void>;
  removeRule(machine: string, rule: number): Promise<void>;
  setLockScreen(machine: string, choice: Exclude<LockScreen, "">): Promise<void>;
  pushState(): PushState;
  /** Asks the person where the browser must, subscribes and tells the machines; also the repair. To be called in a tap, never else. */
  enablePush(): Promise<PushState>;
  disablePush(): Promise<void>;
  /** The machine pushes a test; resolves when it has this device's word that it was shown. */
  testPush(machine: string): Promise<void>;
  /** The language of the screens, for the notifications. */
  speaks(language: string): void;
  /** Connects at once instead of waiting for the next try. */
  retry(): void;
  /** A newer build of the app is ready; it is used when the person says so. Changes come by subscribe. */
  newVersion(): boolean;
  /** Loads the page anew from the newer build. */
  useNewVersion(): void;
  /** The build of this app and what the browser promises about storage. */
  about(): Promise<{ build: string; origin: string; persisted: boolean }>;
}
