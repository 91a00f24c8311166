// The browser replaced or dropped the subscription while the app was closed: make it anew and tell the machines. Who cannot be told now is
// told when the app is opened.

import { TYPE } from "../core/appendix.ts";
import { announcement, markOf, subscribe, targetOf, wanted } from "../core/subscription.ts";
import { openDesk } from "./desk.ts";
import { sendOnce } from "./post.ts";
import { worker } from "./scope.ts";

export async function announce(): Promise<void> {
  const { store, machines } = await openDesk(), wish = await wanted(store);
  if (!wish) return;
  try {
    const target = targetOf(await subscribe(worker.registration.pushManager, wish.key, false)), mark = await markOf(target);
    for (const m of machines.filter((r) => r.relay === wish.relay && r.told?.mark !== mark)) {
      const took = await sendOnce(store, m, TYPE.push, await announcement(store, m, target));
      if (took) await store.changeMachine(m.id, (r) => void (r.told = { mark, at: Date.now() }));
    }
  } catch (e) {
    console.warn("answerback: the push subscription is gone; open the app", e);
  }
}
