// The screens that are loaded when they are first shown.
import { lazy } from "./lazy.tsx";

export const History = lazy(async () => (await import("./history.tsx")).History);
export const Machines = lazy(async () => (await import("./machine.tsx")).Machines);
export const MachinePage = lazy(async () => (await import("./machine.tsx")).MachinePage);
export const Rules = lazy(async () => (await import("./rules.tsx")).Rules);
export const Settings = lazy(async () => (await import("./settings.tsx")).Settings);
export const Pair = lazy(async () => (await import("./pair.tsx")).Pair);
