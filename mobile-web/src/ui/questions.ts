// The questions of a question card, read with the core's scanner, and the answers as the machine takes them:
// {"<question>": "<label or own words>", "<question>": ["<label>", "<own words>"]}, at most 4,096 bytes.
import { type InputField, scanInput } from "../core/json.ts";

export interface Option { label: string; description: string }
export interface Question { text: string; header: string; many: boolean; options: Option[]; rest: { name: string; text: string }[] }

const field = (fields: InputField[], name: string): InputField | undefined => fields.find((f) => f.name === name);
const string = (fields: InputField[], name: string): string | undefined => {
  const f = field(fields, name);
  return f?.kind === "string" ? f.text : undefined;
};

const KNOWN = ["question", "header", "multiSelect", "options"], PART = ["label", "description"];

function option(o: InputField, rest: Question["rest"]): Option | undefined {
  const label = string(o.fields, "label");
  if (label === undefined || label === "") return undefined;
  rest.push(...o.fields.filter((f) => !PART.includes(f.name)).map((f) => ({ name: `${label} ${f.name}`, text: f.text })));
  return { label, description: string(o.fields, "description") ?? "" };
}

function question(q: InputField): Question | undefined {
  const text = string(q.fields, "question"), list = field(q.fields, "options");
  const rest: Question["rest"] = q.fields.filter((f) => !KNOWN.includes(f.name)).map((f) => ({ name: f.name, text: f.text }));
  const options = (list?.fields ?? []).map((o) => option(o, rest));
  if (text === undefined || text === "" || options.includes(undefined)) return undefined;
  return { text, header: string(q.fields, "header") ?? "", many: field(q.fields, "multiSelect")?.raw === "true", options: options as Option[], rest };
}

/** All questions of an input and its other fields; undefined when one cannot be read or two are the same: then nothing can be answered. */
export function questionsOf(input: string): { questions: Question[]; rest: { name: string; text: string }[] } | undefined {
  const view = scanInput(input), list = field(view.fields, "questions");
  const questions = list?.kind === "array" ? list.fields.map(question) : [];
  if (view.undecodable || questions.length === 0 || questions.includes(undefined)) return undefined;
  const read = questions as Question[];
  if (new Set(read.map((q) => q.text)).size !== read.length) return undefined;
  return { questions: read, rest: view.fields.filter((f) => f.name !== "questions").map((f) => ({ name: f.name, text: f.text })) };
}

/** What the person chose for one question: option labels, and own words. */
export interface Chosen { labels: string[]; own: string }

/** One of them: own words instead of a choice. Several: own words beside the choices. */
export function valueOf(q: Question, c: Chosen): string | string[] | undefined {
  const own = c.own.trim();
  if (!q.many) return own !== "" ? own : c.labels[0];
  const all = own === "" ? c.labels : [...c.labels, own];
  return all.length === 0 ? undefined : all;
}

/** The payload, or undefined while a question is open or the answers are too long to sign. */
export function payload(questions: Question[], chosen: Chosen[]): string | undefined {
  const members: string[] = [];
  for (const [i, q] of questions.entries()) {
    const value = valueOf(q, chosen[i] ?? { labels: [], own: "" });
    if (value === undefined) return undefined;
    members.push(`${JSON.stringify(q.text)}:${JSON.stringify(value)}`);
  }
  const all = `{${members.join(",")}}`;
  return new TextEncoder().encode(all).length <= 4096 ? all : undefined;
}
