// Names as people know them.
import { knownCaller } from "../core/callers.ts";
import { plain } from "./text.tsx";

/** The caller's name for our own sentences; a home-made tool keeps its own, with nothing hidden in it. */
export const callerName = (caller: string): string => knownCaller(caller) ?? plain(caller);
