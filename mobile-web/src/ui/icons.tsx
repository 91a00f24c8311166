// Every drawing of the app: line icons, the mark, the class of a call, and five-hole tape. All are decoration; the word stands beside.
import type { JSX } from "preact";
import { t } from "./i18n.ts";

const PATHS = {
  waiting: "M5 4h14v16H5zM9 9h6M9 13h6",
  history: "M12 7v5l3 2M12 4a8 8 0 1 1-8 8M4 5v4h4",
  machine: "M5 5h14v10H5zM3 19h18",
  settings: "M4 8h9M17 8h3M4 16h3M11 16h9M13 6v4M9 14v4",
  again: "M19 12a7 7 0 1 1-2-5M17 3v4h-4",
  whole: "M6 4h12M6 20h12M9 9h6M9 12h6M9 15h4",
  down: "M6 9l6 6 6-6",
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  share: "M12 14V4M9 6.5L12 4l3 2.5M8 10H6v10h12V10h-2",
  add: "M5 5h14v14H5zM12 9v6M9 12h6",
  phone: "M8 3h8v18H8zM11 18h2",
  terminal: "M4 5h16v14H4zM8 10l3 2-3 2M13 15h3",
  search: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM16 16l4 4",
  tick: "M5 13l4 4L19 7",
  cross: "M7 7l10 10M17 7L7 17",
  clock: "M12 7v5l3 2M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z",
  key: "M8 9a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 11l8-6M16 7l2 2",
  returned: "M5 9h9a5 5 0 0 1 0 10h-4M5 9l4-4M5 9l4 4",
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }): JSX.Element => (
  <svg class="i" viewBox="0 0 24 24" aria-hidden="true"><path d={PATHS[name]} /></svg>
);

const MARK = "M2 0h13a2 2 0 0 1 2 2v21a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2v-21a2 2 0 0 1 2-2zM3.2 3a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0 -3.6 0zM3.2 7a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0 -3.6 0zM4.2 10.5a0.8 0.8 0 1 0 1.6 0a0.8 0.8 0 1 0 -1.6 0zM10.2 3a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0 -3.6 0zM10.2 18a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0 -3.6 0zM10.2 22a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0 -3.6 0zM11.2 10.5a0.8 0.8 0 1 0 1.6 0a0.8 0.8 0 1 0 -1.6 0z";

/** The name with its mark: two columns of tape. */
export const Brand = (): JSX.Element => (
  <div class="brand"><svg class="markglyph" viewBox="0 0 17 25" width="16" height="23.5" aria-hidden="true"><path fill-rule="evenodd" d={MARK} /></svg>Answerback</div>
);

export type TagName = "routine" | "sensitive" | "destructive" | "question";

const ring = <circle cx="7" cy="7" r="5.5" fill="none" stroke="currentColor" stroke-width="1.75" />;

function shape(name: TagName): JSX.Element {
  switch (name) {
    case "routine": return ring;
    case "sensitive": return <>{ring}<path d="M7 1.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" /></>;
    case "destructive": return <path d="M7 .8l6.6 11.9H.4z" fill="currentColor" />;
    case "question": return <path d="M2 2h10v7H7l-3 3V9H2z" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linejoin="round" />;
  }
}

/** The word for a class. */
export function className(name: TagName): string {
  switch (name) {
    case "routine": return t("Routine");
    case "sensitive": return t("Sensitive");
    case "destructive": return t("Destructive");
    case "question": return t("Question");
  }
}

/** Class of a call: a shape and its word, never a colour alone. */
export const Tag = ({ name }: { name: TagName }): JSX.Element => (
  <span class={`tag ${name}`}><svg viewBox="0 0 14 14" aria-hidden="true">{shape(name)}</svg>{className(name)}</span>
);

export const Triangle = (): JSX.Element => <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">{shape("destructive")}</svg>;

/** ITA2 letters (ITU-T S.1): which of the five holes are punched. Other characters leave a gap. */
const ITA2: Readonly<Record<string, string>> = {
  a: "12", b: "145", c: "234", d: "14", e: "1", f: "134", g: "245", h: "35", i: "23", j: "124", k: "1234", l: "25", m: "345",
  n: "34", o: "45", p: "235", q: "1235", r: "24", s: "13", t: "5", u: "123", v: "2345", w: "125", x: "1345", y: "135", z: "15",
};
const ROW = [0, 11, 22, 44, 55, 66];

/** Tape that spells a host's name, with blank tape before and after. */
export function Tape({ word }: { word: string }): JSX.Element {
  const columns = ["", "", ...word.toLowerCase().slice(0, 24), "", ""];
  const width = columns.length * 11;
  return (
    <svg class="tape" viewBox={`0 4.4 ${width} 68.2`} width={width} height="68.2" aria-hidden="true">
      {columns.map((letter, i) => (
        <>
          <circle class="feedhole" cx={i * 11 + 5.5} cy="33" r="1.43" />
          {[...(ITA2[letter] ?? "")].map((hole) => <circle cx={i * 11 + 5.5} cy={ROW[Number(hole)]} r="3.52" />)}
        </>
      ))}
    </svg>
  );
}
