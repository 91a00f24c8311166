// The app is open and knows more than the notifications: those of calls that no longer wait go.

import { openDesk } from "./desk.ts";
import { inTurn, shown } from "./note.ts";

/** seen: a person looks at the app, so what only told something goes too. */
export function tidy(seen: boolean): Promise<void> {
  return inTurn(async () => {
    const { cards, machines } = await openDesk();
    for (const { carried: { at, machine, request }, close } of await shown()) {
      const held = cards.get(machine, request);
      const over = at === "open" ? held !== undefined && (held.record.end !== undefined || held.answer !== undefined) : at === "group" ? cards.open(machine).length === 0 : seen;
      if (over || !machines.some((m) => m.id === machine) && at !== "note") close();
    }
  });
}
