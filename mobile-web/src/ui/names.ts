// Names as people know them. The reserved caller names can be taken by no home-made tool, so saying them in full claims nothing more.
import { plain } from "./text.tsx";

const KNOWN: Readonly<Record<string, string>> = {
  claude: "Claude Code", codex: "Codex", copilot: "Copilot CLI", gemini: "Gemini CLI", qwen: "Qwen Code", opencode: "opencode",
};

/** The caller's name for our own sentences; a home-made tool keeps its own, with nothing hidden in it. */
export const callerName = (caller: string): string => (Object.hasOwn(KNOWN, caller) ? KNOWN[caller]! : plain(caller));
