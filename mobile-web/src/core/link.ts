// One WebSocket per relay: keeps it open, listens on mailboxes, sends. Reconnects with back-off and listens again by itself.
// A frame that the relay took is "sent"; that says nothing about the machine.

import { delay, RECONNECT, Sleep } from "./backoff.ts";
import { type Bytes, hex, random, unhex } from "./bytes.ts";
import { leaveFrame, listenFrame, parseFrame, sendFrame, SUBPROTOCOL, type Incoming } from "./frames.ts";
import { type Box, type BoxKeys, boxOf } from "./mailbox.ts";

/** What became of one SEND: sent, the relay's reason why not, or no word from the relay (offline, or silent for 5 s). */
export type Sent = "sent" | "offline" | { unsent: number };

const ANSWER_IN = 5000, CONNECT_IN = 10_000;

export interface Listener {
  message(payload: Bytes): void;
  /** The relay listens for us from now on: called after every connect. */
  listening(): void;
  lost(): void;
}

interface Listening { keys: BoxKeys; box: Box; to: Listener; live: boolean }

export class Link {
  private socket: WebSocket | undefined;
  private readonly boxes = new Map<string, Listening>();
  private readonly waiting = new Map<string, (s: Sent) => void>();
  private readonly pause = new Sleep();
  private failures = 0;
  private closed = false;
  /** Ends the present connection, for us. */
  private ended = (): void => undefined;

  /** origin: of the relay, http or https. */
  constructor(readonly origin: string) {
    void this.run();
  }

  get up(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Listens on a mailbox until the returned function is called. */
  async listen(keys: BoxKeys, to: Listener): Promise<() => void> {
    const box = await boxOf(keys), entry: Listening = { keys, box, to, live: false };
    this.boxes.set(box.id, entry);
    if (this.up) this.write(listenFrame(keys.r, box.hw));
    return () => {
      if (this.boxes.get(box.id) !== entry) return;
      this.boxes.delete(box.id);
      if (this.up) this.write(leaveFrame(unhex(box.id)));
    };
  }

  /** Sends one payload to a mailbox. Never throws. */
  async send(to: { hr: Bytes; w: Bytes }, payload: Bytes): Promise<Sent> {
    const tag = random(8), socket = this.socket;
    if (!this.up) return "offline";
    const answer = new Promise<Sent>((resolve) => this.waiting.set(hex(tag), resolve));
    this.write(sendFrame(tag, to.hr, to.w, payload));
    const silence = setTimeout(() => {
      this.settle(hex(tag), "offline");
      if (socket !== undefined) this.abandon(socket);
    }, ANSWER_IN);
    const sent = await answer;
    clearTimeout(silence);
    return sent;
  }

  /** The socket is open by name only: the network went away under it, so its closing handshake will not end either. */
  private abandon(socket: WebSocket): void {
    socket.close();
    if (this.socket === socket) this.ended();
  }

  /** Tries at once, if it waits. */
  retry(): void {
    this.failures = 0;
    this.pause.wake();
  }

  close(): void {
    this.closed = true;
    this.socket?.close();
    this.pause.wake();
  }

  private async run(): Promise<void> {
    while (!this.closed) {
      await this.connection();
      if (this.closed) return;
      await this.pause.for(delay(RECONNECT, this.failures++));
    }
  }

  /** One connection, from dialling to its end. */
  private connection(): Promise<void> {
    return new Promise((resolve) => {
      let socket: WebSocket;
      try {
        socket = new WebSocket(this.origin.replace(/^http/, "ws") + "/v1/ws", SUBPROTOCOL);
      } catch {
        return resolve(); // an address that this page may not dial
      }
      const patience = setTimeout(() => this.abandon(socket), CONNECT_IN);
      socket.binaryType = "arraybuffer";
      this.socket = socket;
      socket.onopen = () => {
        clearTimeout(patience);
        this.greet();
      };
      socket.onmessage = (e) => this.receive(e.data);
      this.ended = () => {
        clearTimeout(patience);
        this.lose();
        resolve();
      };
      socket.onclose = () => {
        if (this.socket === socket) this.ended();
      };
    });
  }

  private greet(): void {
    for (const { keys, box } of this.boxes.values()) this.write(listenFrame(keys.r, box.hw));
  }

  private write(frame: Bytes): void {
    this.socket?.send(frame);
  }

  private receive(data: unknown): void {
    let frame: Incoming;
    try {
      if (!(data instanceof ArrayBuffer)) throw new TypeError("text frame");
      frame = parseFrame(new Uint8Array(data));
    } catch {
      this.socket?.close(); // not a relay of ours, or of another version
      return;
    }
    this.take(frame);
  }

  private take(frame: Incoming): void {
    switch (frame.type) {
      case "listening": return this.live(frame.box);
      case "sent": return this.settle(frame.tag, "sent");
      case "unsent": return this.settle(frame.tag, { unsent: frame.reason });
      case "message": return this.boxes.get(frame.box)?.to.message(frame.payload);
      case "bye": return; // the relay closes the socket itself
    }
  }

  private live(id: string): void {
    const entry = this.boxes.get(id);
    if (!entry) return;
    this.failures = 0;
    entry.live = true;
    entry.to.listening();
  }

  private settle(tag: string, sent: Sent): void {
    this.waiting.get(tag)?.(sent);
    this.waiting.delete(tag);
  }

  private lose(): void {
    this.socket = undefined;
    for (const tag of [...this.waiting.keys()]) this.settle(tag, "offline");
    for (const entry of this.boxes.values()) {
      if (entry.live) entry.to.lost();
      entry.live = false;
    }
  }
}

/** The links of a page, one per relay, closed when nobody uses them any more. */
export class Links {
  private readonly links = new Map<string, { link: Link; users: number }>();

  use(origin: string): { link: Link; release: () => void } {
    const entry = this.links.get(origin) ?? { link: new Link(origin), users: 0 };
    this.links.set(origin, entry);
    entry.users++;
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      if (--entry.users > 0) return;
      entry.link.close();
      this.links.delete(origin);
    };
    return { link: entry.link, release };
  }

  retry(): void {
    for (const { link } of this.links.values()) link.retry();
  }
}
