// What a worker has at hand for one event: storage, the cards in it, the person's language. Storage is the truth; the worker keeps nothing
// between two events, because the browser may end it at any time.

import { Cards } from "../core/cards.ts";
import type { MachineRecord } from "../core/records.ts";
import { Store } from "../core/store.ts";
import { type Voice, voice } from "./words.ts";

export interface Desk { store: Store; cards: Cards; machines: MachineRecord[]; voice: Voice }

const store = new Store();
const windows = new BroadcastChannel("answerback");

export async function openDesk(): Promise<Desk> {
  const cards = new Cards(store, () => undefined);
  const [machines, speech] = await Promise.all([store.machines(), voice(store), cards.load()]);
  return { store, cards, machines, voice: speech };
}

/** Windows of the app read storage again. */
export function tellWindows(): void {
  windows.postMessage("changed");
}
