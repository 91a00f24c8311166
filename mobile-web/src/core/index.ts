import type { Core } from "./types.ts";
export async function createCore(): Promise<Core> { throw new Error("core: not built yet"); }
