// The slip: the caller's own words on paper. Perforated at both ends it is whole; with a straight edge it says how much is missing.
// The elements marked data-line are what "line 14 of 189" counts, data-end is the end of all that has to be read.
import type { ComponentChildren, JSX, Ref } from "preact";
import { memo } from "preact/compat";
import { count, number, t } from "./i18n.ts";
import { Words } from "./text.tsx";
import type { Body, Call, Field } from "./call.ts";
import type { Row } from "./diff.ts";

/** Beyond this many characters a line may wrap more often than the style sheet's own marks reach. */
const FAR = 400;

/** The margin of one line: its number or sign, and a mark for every row that goes on. */
function Margin({ mark, length }: { mark: string; length: number }): JSX.Element {
  if (length <= FAR) return <i aria-hidden="true">{mark}</i>;
  return <i class="far" aria-hidden="true">{mark}<span>{"\n↪".repeat(Math.ceil(length / 12))}</span></i>;
}

function Line({ mark, text }: { mark: string; text: string }): JSX.Element {
  return <div class="ln" data-line><Margin mark={mark} length={text.length} /><code>{text === "" ? " " : <Words text={text} />}</code></div>;
}

const SIGN = { same: "", del: "−", add: "+" } as const;

function Change({ row }: { row: Row }): JSX.Element {
  const word = row.kind === "del" ? t("removed") : row.kind === "add" ? t("added") : "";
  return (
    <div class={row.kind === "same" ? "ln" : `ln ${row.kind}`} data-line>
      <Margin mark={SIGN[row.kind]} length={row.text.length} />
      <code>{word !== "" && <span class="vh">{word}: </span>}{row.text === "" ? " " : <Words text={row.text} />}</code>
    </div>
  );
}

function Fields({ fields }: { fields: Field[] }): JSX.Element | null {
  if (fields.length === 0) return null;
  return <div class="flds">{fields.map((f) => <div data-line><span><Words text={f.name} /></span> {lines(f.text)}</div>)}</div>;
}

/** A value of several lines keeps its line ends; the box breaks where they are. */
const lines = (text: string): ComponentChildren => text.split("\n").flatMap((line, i) => [i > 0 ? "\n" : "", <Words text={line} />]);

const Lines = ({ body, numbered }: { body: Body; numbered: boolean }): JSX.Element => (
  <>{body.of === "text"
    ? body.lines.map((line, i) => <Line mark={numbered ? number(i + 1) : ""} text={line} />)
    : body.rows.map((row) => <Change row={row} />)}</>
);

function classes(call: Call): string {
  const many = call.bodies.reduce((n, b) => n + (b.of === "text" ? b.lines.length : 0), 0);
  const wide = many >= 10_000 ? " many" : many >= 1000 ? " thousands" : "";
  if (call.bodies.some((b) => b.of === "diff")) return "slip diff";
  return many > 1 ? `slip numbered${wide}` : call.bodies.length === 0 ? "slip loose" : "slip";
}

/** The whole call, every line and every field. It is drawn once a card: a card never changes. */
export const Slip = memo(function Slip({ call, paper }: { call: Call; paper?: Ref<HTMLDivElement> }): JSX.Element {
  const name = call.bodies.some((b) => b.of === "diff") ? t("The change, as the caller wrote it") : t("The call, as the caller wrote it");
  const numbered = call.bodies.length > 0 && call.bodies[0]!.of === "text" && call.bodies[0]!.lines.length > 1;
  return (
    <div class={classes(call)} role="group" aria-label={name} ref={paper ?? null}>
      {call.bodies.map((body) => <Lines body={body} numbered={numbered} />)}
      <Fields fields={call.rest} />
      <div data-end />
    </div>
  );
});

/** One line and what is missing, for lists. */
export function CutSlip({ line, more }: { line: string; more: number }): JSX.Element {
  return (
    <div class="slip cut" role="group" aria-label={t("The call, as the caller wrote it")}>
      <Line mark="" text={line} />
      <span class="more">{more === 0 ? t("Open to read all.") : count(more, "{n} more line. Open to read all.", "{n} more lines. Open to read all.")}</span>
    </div>
  );
}

/** Beginning and end of a call that no card can carry. */
export function EndsSlip({ first, last, lines }: { first: string[]; last: string[]; lines: number }): JSX.Element {
  const from = lines - last.length + 1, missing = Math.max(0, lines - first.length - last.length);
  return (
    <div class={`slip numbered ${lines >= 10_000 ? "many" : "thousands"} cut`} role="group" aria-label={t("Beginning and end of the call")}>
      {first.map((line, i) => <Line mark={number(i + 1)} text={line} />)}
      <div class="gap">{count(missing, "{n} line not shown", "{n} lines not shown")}</div>
      {last.map((line, i) => <Line mark={number(from + i)} text={line} />)}
      <div class="pad" />
    </div>
  );
}

/** A few lines of plain caller text: a question, a device's name. */
export const Paper = ({ text, one }: { text: string; one?: boolean }): JSX.Element => (
  <div class={one ? "slip one" : "slip"} role="group" aria-label={t("The call, as the caller wrote it")}>
    {text.split("\n").map((line) => <Line mark="" text={line} />)}
  </div>
);
