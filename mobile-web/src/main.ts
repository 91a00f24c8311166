// The page's entry: the screens start the core, and say so when it cannot start.
import { createCore } from "./core/index.ts";
import { start } from "./ui/index.tsx";

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
await start(createCore, root);
