// Builds the phone app into dist/:  node build.mjs            the app (fails when over its budget)
//                                   node build.mjs --out DIR  the same into another folder
//                                   node build.mjs --test DIR the browser side of the tests
// Two passes: the first with an empty build id; the id is the hash of everything that pass wrote; the second carries it. So the id
// names the tree that is served, and whoever builds the same sources gets the same id.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(fileURLToPath(import.meta.url));
const DIST = join(ROOT, "dist");
const KEEP = "placeholder.txt"; // committed, so that `go build` has something to embed
const BUDGET = { app: 60 * 1024, worker: 25 * 1024 }; // gzip bytes

const common = {
  bundle: true, write: false, minify: true, format: "esm", target: ["es2022"], charset: "utf8", absWorkingDir: ROOT, legalComments: "none",
  jsx: "automatic", jsxImportSource: "preact", logLevel: "warning", metafile: true, outdir: "dist", loader: { ".css": "css" },
};

/** The hashed files: app entry, its lazy parts and the style sheet. Returns { files, app, style, start }. */
async function assets(id) {
  const out = await build({
    ...common, entryPoints: { app: "src/main.ts", answerback: "src/ui/answerback.css" }, splitting: true,
    entryNames: "assets/[name]-[hash]", chunkNames: "assets/[name]-[hash]", define: { __BUILD__: JSON.stringify(id) },
  });
  const named = (start, end) => Object.keys(out.metafile.outputs).map((f) => f.slice("dist/".length)).find((f) => f.startsWith(start) && f.endsWith(end));
  const app = named("assets/app-", ".js"), style = named("assets/answerback-", ".css");
  return { files: contents(out), app, style, start: [...closure(out.metafile, "dist/" + app), "dist/" + style].map((f) => f.slice("dist/".length)) };
}

/** What the browser loads before the first screen: the entry and everything it imports statically. */
function closure(meta, entry, seen = new Set()) {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const i of meta.outputs[entry].imports) if (i.kind === "import-statement") closure(meta, i.path, seen);
  return seen;
}

const contents = (out) => new Map(out.outputFiles.map((f) => [f.path.slice(DIST.length + 1).replaceAll("\\", "/"), Buffer.from(f.contents)]));

/** The service worker keeps its name: browsers look for the new one at the old address. */
async function worker(id, shell) {
  const define = { __BUILD__: JSON.stringify(id), __SHELL__: JSON.stringify(shell) };
  return contents(await build({ ...common, entryPoints: { sw: "src/sw.ts" }, entryNames: "[name]", format: "iife", define }));
}

/** Every file below a folder, as [path with slashes, bytes]. */
function tree(dir, prefix = "") {
  return readdirSync(dir).sort().flatMap((name) => {
    const path = join(dir, name);
    return statSync(path).isDirectory() ? tree(path, `${prefix}${name}/`) : [[prefix + name, readFileSync(path)]];
  });
}

async function pass(id) {
  const a = await assets(id);
  const files = new Map([...tree(join(ROOT, "public")), ...a.files]);
  files.set("index.html", Buffer.from(files.get("index.html").toString().replace("%STYLE%", `/${a.style}`).replace("%APP%", `/${a.app}`)));
  const shell = ["/", "/manifest.webmanifest", "/icons/icon-192.png", "/icons/badge-96.png", ...[...a.files.keys()].sort().map((f) => "/" + f)];
  for (const [name, bytes] of await worker(id, shell)) files.set(name, bytes);
  return { files, start: a.start };
}

function treeHash(files) {
  const h = createHash("sha256");
  for (const [name, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) h.update(`${name}\0${bytes.length}\0`).update(bytes);
  return h.digest("hex").slice(0, 16);
}

/** innerHTML and its kin throw under Trusted Types; better to hear of it here. */
function refuseMarkup() {
  for (const [name, bytes] of tree(join(ROOT, "src")))
    if (/\.tsx?$/.test(name) && /\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write)\b/i.test(bytes)) fail(`src/${name} makes markup from text; use elements and text nodes`);
}

function write(dir, files) {
  mkdirSync(dir, { recursive: true });
  for (const name of readdirSync(dir)) if (name !== KEEP) rmSync(join(dir, name), { recursive: true });
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), bytes);
  }
}

function weigh(what, size, budget) {
  console.log(`${what} ${(size / 1024).toFixed(1)} KB gzip, budget ${budget / 1024} KB`);
  if (size > budget) fail(`${what} is over its budget; load something lazily or take it out`);
}

function fail(why) {
  console.error(`build: ${why}`);
  process.exit(1);
}

async function app(dir) {
  refuseMarkup();
  const id = treeHash((await pass("")).files);
  const { files, start } = await pass(id);
  files.set("build.txt", Buffer.from(id + "\n"));
  const gz = (name) => gzipSync(files.get(name), { level: 9 }).length;
  write(dir, files);
  console.log(`build ${id}`);
  weigh("app start", ["index.html", ...start].reduce((n, f) => n + gz(f), 0), BUDGET.app);
  weigh("service worker", gz("sw.js"), BUDGET.worker);
}

async function test(dir) {
  const out = await build({ ...common, minify: false, sourcemap: "inline", entryPoints: { vectors: "src/test/vectors.ts", core: "src/test/core.ts" }, splitting: true, chunkNames: "assets/[name]-[hash]", entryNames: "[name]", define: { __BUILD__: '"test"' } });
  const worker = await build({ ...common, minify: false, entryPoints: { sw: "src/test/sw.ts" }, entryNames: "[name]", format: "iife", define: { __BUILD__: '"test"' } });
  write(dir, new Map([...contents(out), ...contents(worker)]));
}

const option = (name) => process.argv[process.argv.indexOf(name) + 1 || Infinity];
if (!existsSync(join(ROOT, "node_modules"))) fail("node_modules is missing; run npm ci first");
await (option("--test") ? test(option("--test")) : app(option("--out") ?? DIST));
