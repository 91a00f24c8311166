// A question card: every question and option on paper, the person's own words in their own colour. What was chosen stays while the
// app is open, so that looking elsewhere loses nothing.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { t } from "./i18n.ts";
import { keyOf } from "./store.ts";
import { Name, Words } from "./text.tsx";
import { payload, type Chosen, type Question } from "./questions.ts";
import type { Field } from "./call.ts";
import type { Look } from "./look.ts";
import type { Waiting } from "../core/types.ts";

export interface AnswersState { chosen: Chosen[]; payload: string | undefined; missing: string; set(i: number, change: Change): void }

/** From what was chosen to what is; always from the latest. */
type Change = (now: Chosen) => Chosen;

const kept = new Map<string, Chosen[]>();
const NONE: Chosen = { labels: [], own: "" };

/** What the person has chosen on this card so far. */
export function useAnswers(w: Waiting, seen: Look): AnswersState {
  const key = keyOf(w), questions = seen.asked?.questions ?? [];
  const [, again] = useState(0);
  const now = () => kept.get(key) ?? questions.map(() => NONE), chosen = now();
  const set = (i: number, change: Change) => {
    kept.set(key, now().map((c, j) => (i === j ? change(c) : c)));
    again((n) => n + 1);
  };
  const missing = t(questions.length === 1 ? "Answer it to send." : questions.length === 2 ? "Answer both to send." : "Answer all to send.");
  return { chosen, payload: payload(questions, chosen), missing, set };
}

function pick(q: Question, c: Chosen, label: string, on: boolean): Chosen {
  if (!q.many) return { labels: [label], own: "" };
  return { ...c, labels: q.options.map((o) => o.label).filter((l) => (l === label ? on : c.labels.includes(l))) };
}

function Options({ q, i, c, set }: { q: Question; i: number; c: Chosen; set(change: Change): void }): JSX.Element {
  return (
    <>{q.options.map((o) => (
      <label class="choice from-caller">
        <input type={q.many ? "checkbox" : "radio"} name={`q${i}`} checked={c.labels.includes(o.label)} onChange={(e) => { const on = e.currentTarget.checked; set((was) => pick(q, was, o.label, on)); }} />
        <span><b><Name text={o.label} /></b><Lines text={o.description} /></span>
      </label>
    ))}</>
  );
}

function One({ q, i, n, c, set }: { q: Question; i: number; n: number; c: Chosen; set(change: Change): void }): JSX.Element {
  const own = (words: string): Change => (was) => (q.many ? { ...was, own: words } : { labels: words.trim() === "" ? was.labels : [], own: words });
  return (
    <fieldset class={i === 0 ? "field" : "field group-start"}>
      <legend class="q">
        <span class="label">{t(q.many ? "{a} of {b} · choose any" : "{a} of {b} · choose one", { a: i + 1, b: n })}</span>
        <span class="slip ask-slip">{q.header !== "" && <span class="head"><Words text={q.header} /></span>}<Lines text={q.text} /></span>
      </legend>
      <div class="choices">
        <Options q={q} i={i} c={c} set={set} />
        <Rest fields={q.rest} />
        <div class="field">
          <label for={`o${i}`}>{t(q.many ? "Add in your own words" : "In your own words")}</label>
          <textarea id={`o${i}`} rows={q.many ? 2 : 1} maxLength={1000} placeholder={q.many ? "" : t("Instead of a choice")} value={c.own} onInput={(e) => set(own(e.currentTarget.value))} />
        </div>
      </div>
    </fieldset>
  );
}

const Lines = ({ text }: { text: string }): JSX.Element => <>{text.split("\n").map((line, i) => <>{i > 0 && <br />}<Words text={line} /></>)}</>;

/** What the caller sent beside questions and options: listed, never dropped. */
function Rest({ fields }: { fields: Field[] }): JSX.Element | null {
  if (fields.length === 0) return null;
  return <div class="slip loose" role="group" aria-label={t("The call, as the caller wrote it")}><div class="flds">{fields.map((f) => <div><span><Words text={f.name} /></span> <Lines text={f.text} /></div>)}</div></div>;
}

export function Questions({ asked, answers }: { w: Waiting; asked: NonNullable<Look["asked"]>; answers: AnswersState }): JSX.Element {
  const all = asked.questions;
  return (
    <>
      {all.map((q, i) => <One q={q} i={i} n={all.length} c={answers.chosen[i] ?? NONE} set={(change) => answers.set(i, change)} />)}
      <Rest fields={asked.rest} />
    </>
  );
}
