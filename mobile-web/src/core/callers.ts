// Callers' names as people know them. The reserved names can be taken by no home-made tool, so saying them in full claims nothing more.

const KNOWN: Readonly<Record<string, string>> = {
  claude: "Claude Code", codex: "Codex", copilot: "Copilot CLI", gemini: "Gemini CLI", qwen: "Qwen Code", opencode: "opencode",
};

/** The full name of a caller whose name is reserved; undefined for a home-made tool. */
export const knownCaller = (caller: string): string | undefined => (Object.hasOwn(KNOWN, caller) ? KNOWN[caller] : undefined);
