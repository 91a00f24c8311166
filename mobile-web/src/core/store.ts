// The phone's storage: one IndexedDB database, the same for every window of the app. Each method is one transaction.

import type { Bytes } from "./bytes.ts";
import { contradicts, type Head, type HeadRecord, withHead } from "./heads.ts";
import { got, openDatabase, transact } from "./idb.ts";
import type { Ratchet } from "./ratchet.ts";
import { type AnswerRecord, type CardRecord, type End, outdoes, type MachineRecord, type PastRecord, type RatchetRecord, type SeenRecord } from "./records.ts";

const NAME = "answerback", VERSION = 1;
const TWO_DAYS = 2 * 86_400_000, MAX_PAST = 1000;

/** Thrown when a second answer to one request is to be stored: a double tap, or two windows. */
export class AlreadyAnswered extends Error {
  override name = "AlreadyAnswered";
}

/** A key is gone: the browser dropped it. Only pairing again helps. */
export class KeyLost extends Error {
  override name = "KeyLost";
}

function upgrade(db: IDBDatabase): void {
  db.createObjectStore("machines", { keyPath: "id" });
  for (const name of ["keys", "ratchets", "heads", "seqs", "settings"]) db.createObjectStore(name);
  for (const name of ["cards", "seen", "outbox", "history"]) db.createObjectStore(name, { keyPath: ["machine", "request_id"] });
}

/** All keys that begin with the machine's id, in a store keyed by [machine, request_id]. */
const ofMachine = (id: string): IDBKeyRange => IDBKeyRange.bound([id], [id, []]);

export class Store {
  private db: IDBDatabase | undefined;

  /** The connection; made anew after the browser closed it (it does so when storage is short, or for a newer version). */
  private async open(): Promise<IDBDatabase> {
    if (this.db) return this.db;
    const db = await openDatabase(NAME, VERSION, upgrade);
    const drop = (): void => {
      db.close();
      if (this.db === db) this.db = undefined;
    };
    db.onclose = db.onversionchange = drop;
    this.db = db;
    return db;
  }

  private async run<T>(stores: string[], mode: IDBTransactionMode, work: (tx: IDBTransaction) => Promise<T>): Promise<T> {
    try {
      return await transact(await this.open(), stores, mode, work);
    } catch (e) {
      if (!(e instanceof DOMException && e.name === "InvalidStateError")) throw e;
      this.db = undefined; // closed under us: once more on a new connection
      return transact(await this.open(), stores, mode, work);
    }
  }

  private all<T>(store: string, range?: IDBKeyRange): Promise<T[]> {
    return this.run([store], "readonly", (tx) => got<T[]>(tx.objectStore(store).getAll(range)));
  }

  private get<T>(store: string, key: IDBValidKey): Promise<T | undefined> {
    return this.run([store], "readonly", (tx) => got<T | undefined>(tx.objectStore(store).get(key)));
  }

  private async put(store: string, value: unknown, key?: IDBValidKey): Promise<void> {
    await this.run([store], "readwrite", (tx) => got(tx.objectStore(store).put(value, key)));
  }

  machines(): Promise<MachineRecord[]> {
    return this.all("machines");
  }

  /**
   * Everything that a pairing gives, at once: either all of it is there or nothing. Cards and answers of an earlier pairing with the same
   * machine go; the head of its log stays, so that pairing again hides no cut.
   */
  async addMachine(m: MachineRecord, sign: CryptoKey, ratchet: Ratchet): Promise<void> {
    await this.run(["machines", "keys", "ratchets", "cards", "seen", "outbox", "seqs"], "readwrite", async (tx) => {
      await Promise.all(["cards", "seen", "outbox"].map((store) => got(tx.objectStore(store).delete(ofMachine(m.id)))));
      await Promise.all([
        got(tx.objectStore("machines").put(m)), got(tx.objectStore("keys").put(sign, `${m.id}/sign`)), got(tx.objectStore("keys").put(ratchet.chain, `${m.id}/chain`)),
        got(tx.objectStore("ratchets").put({ stored: ratchet.stored, newest: ratchet.newest } satisfies RatchetRecord, m.id)), got(tx.objectStore("seqs").delete(m.id)),
      ]);
    });
  }

  /** Changes a machine's record under the transaction, so that two windows cannot undo each other. Undefined: it was removed. */
  changeMachine(id: string, change: (m: MachineRecord) => void): Promise<MachineRecord | undefined> {
    return this.run(["machines"], "readwrite", async (tx) => {
      const store = tx.objectStore("machines"), m = await got<MachineRecord | undefined>(store.get(id));
      if (m) {
        change(m);
        await got(store.put(m));
      }
      return m;
    });
  }

  /** Removes keys first and everything else of a machine with them. History stays: it is the person's own. */
  async removeMachine(id: string): Promise<void> {
    await this.run(["machines", "keys", "ratchets", "heads", "seqs", "cards", "seen", "outbox"], "readwrite", async (tx) => {
      const deletions = [["keys", `${id}/sign`], ["keys", `${id}/chain`], ["ratchets", id], ["heads", id], ["seqs", id], ["machines", id]] as const;
      await Promise.all(deletions.map(([store, key]) => got(tx.objectStore(store).delete(key))));
      await Promise.all(["cards", "seen", "outbox"].map((store) => got(tx.objectStore(store).delete(ofMachine(id)))));
    });
  }

  async signKey(id: string): Promise<CryptoKey> {
    const key = await this.get<CryptoKey>("keys", `${id}/sign`);
    if (!key) throw new KeyLost("storage: the signing key is gone; pair again");
    return key;
  }

  async ratchet(id: string): Promise<Ratchet> {
    return this.run(["keys", "ratchets"], "readonly", async (tx) => {
      const [chain, days] = await Promise.all([
        got<CryptoKey | undefined>(tx.objectStore("keys").get(`${id}/chain`)), got<RatchetRecord | undefined>(tx.objectStore("ratchets").get(id)),
      ]);
      if (!chain || !days) throw new KeyLost("storage: the keys are gone; pair again");
      return { chain, ...days };
    });
  }

  /** Writes a moved ratchet over the old one. Callers hold the ratchet's lock. */
  async moveRatchet(id: string, r: Ratchet): Promise<void> {
    await this.run(["keys", "ratchets"], "readwrite", async (tx) => {
      await Promise.all([got(tx.objectStore("keys").put(r.chain, `${id}/chain`)), got(tx.objectStore("ratchets").put({ stored: r.stored, newest: r.newest }, id))]);
    });
  }

  /** The next sequence number of this device's orders: get and put in one transaction, so that no two windows get the same. */
  nextSeq(id: string): Promise<number> {
    return this.run(["seqs"], "readwrite", async (tx) => {
      const store = tx.objectStore("seqs"), next = ((await got<number | undefined>(store.get(id))) ?? 0) + 1;
      await got(store.put(next, id));
      return next;
    });
  }

  cards(): Promise<CardRecord[]> {
    return this.all("cards");
  }

  /**
   * Keeps a card that came. One request has one card: the first body stays, whatever comes later under its id. fresh: it was not there.
   * The head that it names is held against those seen before, and kept when it fits.
   */
  addCard(machine: string, requestId: string, body: Bytes, head: Head, now: number): Promise<{ record: CardRecord; fresh: boolean }> {
    return this.run(["cards", "seen", "heads"], "readwrite", async (tx) => {
      const [cards, seen, heads] = ["cards", "seen", "heads"].map((s) => tx.objectStore(s)) as [IDBObjectStore, IDBObjectStore, IDBObjectStore];
      const old = await got<CardRecord | undefined>(cards.get([machine, requestId]));
      if (old) return { record: old, fresh: false };
      const [before, kept] = await Promise.all([got<SeenRecord | undefined>(seen.get([machine, requestId])), got<HeadRecord | undefined>(heads.get(machine))]);
      const known = kept?.heads ?? [];
      const record: CardRecord = { machine, request_id: requestId, body, seen: now, logCut: contradicts(known, head), already: before !== undefined };
      await Promise.all([
        got(cards.put(record)), got(seen.put({ machine, request_id: requestId, at: now } satisfies SeenRecord)),
        got(heads.put({ heads: withHead(known, head) } satisfies HeadRecord, machine)),
      ]);
      return { record, fresh: true };
    });
  }

  /**
   * Writes how a card ended and its line of history, and removes the answer that needs no more sending. An ended card is not ended again,
   * but for what outdoes() allows. Undefined: nothing changed.
   */
  endCard(machine: string, requestId: string, end: End, past: PastRecord): Promise<CardRecord | undefined> {
    return this.run(["cards", "outbox", "history"], "readwrite", async (tx) => {
      const cards = tx.objectStore("cards"), card = await got<CardRecord | undefined>(cards.get([machine, requestId]));
      if (!card || (card.end && !outdoes(end, card.end))) return undefined;
      const ended = { ...card, end };
      await Promise.all([got(cards.put(ended)), got(tx.objectStore("outbox").delete([machine, requestId])), got(tx.objectStore("history").put(past))]);
      return ended;
    });
  }

  answers(): Promise<AnswerRecord[]> {
    return this.all("outbox");
  }

  /** Keeps a signed answer before its first byte is sent. Throws AlreadyAnswered when there is one, or the card has ended. */
  async addAnswer(a: AnswerRecord): Promise<void> {
    await this.run(["outbox", "cards"], "readwrite", async (tx) => {
      const outbox = tx.objectStore("outbox"), key = [a.machine, a.request_id];
      const [old, card] = await Promise.all([got<AnswerRecord | undefined>(outbox.get(key)), got<CardRecord | undefined>(tx.objectStore("cards").get(key))]);
      if (old || !card || card.end) throw new AlreadyAnswered("this card has an answer");
      await got(outbox.put(a));
    });
  }

  changeAnswer(machine: string, requestId: string, change: (a: AnswerRecord) => void): Promise<AnswerRecord | undefined> {
    return this.run(["outbox"], "readwrite", async (tx) => {
      const outbox = tx.objectStore("outbox"), a = await got<AnswerRecord | undefined>(outbox.get([machine, requestId]));
      if (a) {
        change(a);
        await got(outbox.put(a));
      }
      return a;
    });
  }

  history(): Promise<PastRecord[]> {
    return this.all("history");
  }

  async setting<T>(name: string): Promise<T | undefined> {
    return this.get("settings", name);
  }

  async setSetting(name: string, value: unknown): Promise<void> {
    await this.put("settings", value, name);
  }

  /** At start: cards that ended in an earlier visit, request ids older than two days, history beyond the newest thousand. */
  async tidy(now: number): Promise<void> {
    await this.run(["cards", "seen", "history"], "readwrite", async (tx) => {
      const sweep = async <T extends { machine: string; request_id: string }>(store: string, old: (all: T[]) => T[]): Promise<void> => {
        const s = tx.objectStore(store);
        for (const r of old(await got<T[]>(s.getAll()))) await got(s.delete([r.machine, r.request_id]));
      };
      await sweep<CardRecord>("cards", (all) => all.filter((c) => c.end !== undefined));
      await sweep<SeenRecord>("seen", (all) => all.filter((s) => now - s.at > TWO_DAYS));
      await sweep<PastRecord>("history", (all) => all.sort((a, b) => b.ended - a.ended).slice(MAX_PAST));
    });
  }
}
