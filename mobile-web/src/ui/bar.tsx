// The bar under a card: what is left, then Deny at the start and Allow at the end, then Deny with words. After the tap the outcome stands
// in the same place. Deny is one tap, never disabled, never moves; where nothing can be allowed it stands alone and filled.
import type { JSX, Ref, RefObject } from "preact";
import { answer, failed, signing } from "./answer.ts";
import { Due } from "./due.tsx";
import { End, outcomeOf } from "./outcome.tsx";
import { number, sentence, t } from "./i18n.ts";
import { against, confirms, noBar } from "./look.ts";
import { keyOf } from "./store.ts";
import type { Guard } from "./guard.ts";
import type { Reading } from "./readend.ts";
import type { Rule } from "./always.tsx";
import type { Waiting } from "../core/types.ts";

/** The answers of a question card: the payload when all is answered, and what is missing else. */
export interface Answers { payload: string | undefined; missing: string }

interface Props {
  w: Waiting;
  guard: Guard;
  reading: Reading;
  rule?: Rule | undefined;
  answers?: Answers | undefined;
  why: string;
  bar: Ref<HTMLDivElement>;
  opener: RefObject<HTMLAnchorElement | null>;
}

/** "Read so far", for a call that did not fit the screen. */
function ReadSoFar({ reading }: { reading: Reading }): JSX.Element | null {
  if (!reading.long) return null;
  const b = <span class="num">{number(reading.lines)}</span>;
  if (reading.lines === 1 && !reading.done) return <p class="label" id="readto" role="status">{t("Not read to the end yet. Allow opens there.")}</p>;
  return <p class="label" id="readto" role="status">{reading.done ? t("Read to the end.") : sentence("Read so far: line {a} of {b}. Allow opens at the end.", { a: number(reading.line), b })}</p>;
}

function Allow({ w, reading, rule, guard }: Pick<Props, "w" | "reading" | "rule" | "guard">): JSX.Element {
  const shut = !reading.done && (reading.long || !guard.on); // in the first moments the guard alone says so
  const small = shut ? t("read to the end first") : confirms(w, rule?.ticked ?? false) === "passkey" ? t("with passkey") : "";
  const fill = w.card.class === "destructive" || shut ? "btn" : "btn fill";
  const tap = () => { if (reading.done) void answer(w, "allow", rule?.ticked ? { rule: rule.chosen.id } : {}); };
  return (
    <button type="button" class={fill} onClick={tap} aria-disabled={shut || undefined} aria-describedby={reading.long ? "readto" : undefined}>
      {small === "" ? t("Allow") : <span>{t("Allow")}<small>{small}</small></span>}
    </button>
  );
}

function Send({ w, answers }: { w: Waiting; answers: Answers }): JSX.Element {
  const tap = () => { if (answers.payload !== undefined) void answer(w, "answered", { answers: answers.payload }); };
  const shut = answers.payload === undefined;
  return <button type="button" class={shut ? "btn" : "btn fill"} onClick={tap} aria-disabled={shut || undefined} aria-describedby={shut ? "missing" : undefined}>{t("Send answers")}</button>;
}

const deny = (w: Waiting) => (): void => { void answer(w, "deny"); };

/** Deny, and beside it what the card offers. */
function Buttons(p: Props): JSX.Element {
  const { w, answers } = p;
  if (against(w) !== undefined) return <button type="button" class="btn fill block" onClick={deny(w)}>{t(w.card.kind === "question" ? "Decline" : "Deny")}</button>;
  return (
    <div class="pair">
      <button type="button" class={w.card.class === "destructive" ? "btn fill" : "btn"} onClick={deny(w)}>{t(answers ? "Decline" : "Deny")}</button>
      {answers ? <Send w={w} answers={answers} /> : <Allow w={w} reading={p.reading} rule={p.rule} guard={p.guard} />}
    </div>
  );
}

/** The link to the sheet. Under a long call it stands in the page, so that the bar leaves room to read. */
export function SayWhy({ href, opener }: { href: string; opener: RefObject<HTMLAnchorElement | null> }): JSX.Element {
  return <a class="btn plain block" href={href} ref={opener}>{t("Deny and say why")}</a>;
}

function Failed({ w }: { w: Waiting }): JSX.Element | null {
  const why = failed.value.get(keyOf(w));
  return why === undefined ? null : <p class="label" role="status">{why}</p>;
}

export function AnswerBar(p: Props): JSX.Element | null {
  const { w, guard, reading, answers } = p, label = t("Your answer");
  if (outcomeOf(w) !== undefined) return w.progress.at === "expired" ? null : <div class="bar" role="group" aria-label={label} ref={p.bar}><div class="outcome"><End w={w} /></div></div>;
  if (noBar(against(w))) return null;
  const busy = signing.value.has(keyOf(w));
  return (
    <div class="bar" role="group" aria-label={label} data-guard={guard.on || busy || undefined} ref={p.bar} {...guard.around}>
      <Due w={w} />
      {against(w) === undefined && !answers && <ReadSoFar reading={reading} />}
      {answers && answers.payload === undefined && <p class="label" id="missing">{answers.missing}</p>}
      <Failed w={w} />
      <Buttons {...p} />
      {!answers && !reading.long && <SayWhy href={p.why} opener={p.opener} />}
    </div>
  );
}
