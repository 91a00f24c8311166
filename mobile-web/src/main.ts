// The page's entry: core first, then the screens, then the service worker once the first screen stands.
import { createCore } from "./core/index.ts";
import { start } from "./ui/index.tsx";
import { registerWorker } from "./worker.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
start(await createCore(), root);
void registerWorker();
