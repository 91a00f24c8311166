// One call, read for the screen: which of its fields stands large (a command, an edit), and every other field below it. Fields come from
// the core's scanner, in the caller's order, never through JSON.parse; what is not known is listed, never dropped.
import type { Card } from "../core/types.ts";
import { type InputField, scanInput } from "../core/json.ts";
import { diff, tally, type Row } from "./diff.ts";
import { bytesOf } from "./text.tsx";

/** One field below the drawing: its name, and its value as text (a string's characters, or the raw JSON of anything else). */
export interface Field { name: string; text: string }

/** What the slip holds: plain lines, or the lines of a diff. */
export type Body = { of: "text"; lines: string[] } | { of: "diff"; rows: Row[]; added: number; removed: number };

export type Doing = "run" | "edit" | "write" | "use" | "ask" | "admit";

export interface Call {
  doing: Doing;
  /** The file of an edit. */
  path?: string;
  bodies: Body[];
  rest: Field[];
  lines: number;
  bytes: number;
  /** The input is no JSON that can be read; the slip then shows its bytes as they are. */
  broken: boolean;
  /** There is nothing in it. */
  empty: boolean;
  /** A file that is written whole and does not end with a line end. */
  open?: boolean;
}

type Shape = Pick<Call, "doing" | "bodies" | "rest"> & { path?: string; open?: boolean };

const text = (s: string): Body => ({ of: "text", lines: s.split("\n") });

function change(before: string, after: string): Body {
  const rows = diff(before, after);
  return { of: "diff", rows, ...tally(rows) };
}

/** A whole file, all of it new. Its last line end opens no further line; that there is none is said below the slip. */
function added(content: string): Body {
  const rows: Row[] = content.replace(/\n$/, "").split("\n").map((line) => ({ kind: "add", text: line }));
  return { of: "diff", rows, ...tally(rows) };
}

/** The named strings of an object; undefined when one is missing or is no string. (A name never comes twice: the scanner refuses it.) */
function take(fields: InputField[], ...names: string[]): string[] | undefined {
  const found = names.map((name) => fields.find((f) => f.name === name));
  return found.every((f) => f?.kind === "string") ? found.map((f) => f!.text) : undefined;
}

const without = (fields: InputField[], ...names: string[]): Field[] => fields.filter((f) => !names.includes(f.name));

/** A list of edits of one file, each an old and a new text. */
function edits(list: InputField | undefined): Pick<Shape, "bodies" | "rest"> | undefined {
  const pairs = list?.kind === "array" ? list.fields.map((e) => take(e.fields, "old_string", "new_string")) : [];
  if (list === undefined || pairs.length === 0 || pairs.includes(undefined)) return undefined;
  const rest = list.fields.flatMap((e, i) => without(e.fields, "old_string", "new_string").map((f) => ({ ...f, name: `edits ${i + 1} ${f.name}` })));
  return { bodies: pairs.map((p) => change(p![0]!, p![1]!)), rest };
}

/** The shapes that have a drawing of their own; anything else is a list of fields. */
function shape(fields: InputField[]): Shape {
  const edit = take(fields, "file_path", "old_string", "new_string");
  if (edit) return { doing: "edit", path: edit[0]!, bodies: [change(edit[1]!, edit[2]!)], rest: without(fields, "file_path", "old_string", "new_string") };
  const path = take(fields, "file_path"), many = edits(fields.find((f) => f.name === "edits"));
  if (path && many) return { doing: "edit", path: path[0]!, bodies: many.bodies, rest: [...without(fields, "file_path", "edits"), ...many.rest] };
  const write = take(fields, "file_path", "content");
  if (write) return { doing: "write", path: write[0]!, bodies: [added(write[1]!)], rest: without(fields, "file_path", "content"), open: !write[1]!.endsWith("\n") };
  const command = take(fields, "command");
  if (command) return { doing: "run", bodies: [text(command[0]!)], rest: without(fields, "command") };
  return { doing: "use", bodies: [], rest: fields };
}

const lineCount = (s: string): number => s.split("\n").length;
const bodyLines = (b: Body): number => (b.of === "text" ? b.lines.length : b.rows.length);

/** Lines and bytes: of the command where that is what stands large, else of the whole input. */
function measure(s: Shape, input: string): { lines: number; bytes: number } {
  const only = s.bodies[0];
  if (s.doing === "run" && only?.of === "text") return { lines: only.lines.length, bytes: bytesOf(only.lines.join("\n")) };
  const lines = s.bodies.reduce((n, b) => n + bodyLines(b), 0) + s.rest.reduce((n, f) => n + lineCount(f.text), 0);
  return { lines, bytes: bytesOf(input) };
}

function ofText(doing: Doing, whole: string, more: Partial<Call>): Call {
  const lines = whole.split("\n");
  return { doing, bodies: whole === "" ? [] : [{ of: "text", lines }], rest: [], lines: lines.length, bytes: bytesOf(whole), broken: false, empty: whole === "", ...more };
}

/** What a machine asks for itself: a device as fields, or a text. */
function asked(admin: NonNullable<Card["admin"]>): Call {
  if ("text" in admin) return ofText("admit", admin.text, { rest: [{ name: "sha256", text: admin.digest }] });
  const rest = [{ name: "device_id", text: admin.device_id }, { name: "name", text: admin.name }, { name: "platform", text: admin.platform }];
  return { doing: "admit", bodies: [], rest, lines: 3, bytes: 0, broken: false, empty: false };
}

/** Reads what a card asks. */
export function readCall(card: Pick<Card, "input" | "kind" | "admin">): Call {
  if (card.kind === "admin" && card.admin) return asked(card.admin);
  const view = scanInput(card.input);
  if (view.undecodable) return ofText("use", card.input, { broken: true });
  if (view.empty) return ofText("use", card.input, { empty: true });
  const s = shape(view.fields);
  return { ...s, doing: card.kind === "question" ? "ask" : s.doing, ...measure(s, card.input), broken: false, empty: false };
}

/** What a list shows in one line. */
export function gist(card: Pick<Card, "tool" | "cut">, call: Call): string {
  if (card.cut) return card.cut.first[0] ?? card.tool;
  if (call.path !== undefined) return call.path;
  const body = call.bodies[0];
  const line = body?.of === "text" ? body.lines.find((l) => l.trim() !== "") : call.rest[0]?.text;
  return line ?? card.tool;
}
