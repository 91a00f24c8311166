// Builds the gallery into a folder:  node gallery.mjs DIR
// It is the screens on made-up data, for pictures and tests, and beside them the app itself (app.html); dist/ never holds it.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(fileURLToPath(import.meta.url)), out = process.argv[2];
if (out === undefined) throw new Error("gallery: name the folder to build into");

await build({
  absWorkingDir: ROOT, bundle: true, format: "esm", splitting: true, target: ["es2022"], charset: "utf8", jsx: "automatic", jsxImportSource: "preact", logLevel: "warning",
  entryPoints: { gallery: "src/gallery/main.ts", app: "src/main.ts", answerback: "src/ui/answerback.css" }, outdir: out, define: { __BUILD__: '"gallery"' },
});
const page = readFileSync(join(ROOT, "src/gallery/index.html"), "utf8");
writeFileSync(join(out, "index.html"), page);
writeFileSync(join(out, "app.html"), page.replace("gallery.js", "app.js"));
