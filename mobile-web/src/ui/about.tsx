// "About this call": where it comes from, what it runs, and what an answer countersigns.
import type { ComponentChildren, JSX } from "preact";
import { Icon } from "./icons.tsx";
import { number, sentence, t } from "./i18n.ts";
import { callerName } from "./names.ts";
import { Name, Quote, groups } from "./text.tsx";
import type { Card } from "../core/types.ts";

const Fact = ({ name, children }: { name: string; children: ComponentChildren }): JSX.Element => <><dt>{name}</dt><dd>{children}</dd></>;

function pinned(card: Card): ComponentChildren {
  if (card.pinned.length === 0) return t("none pinned");
  return card.pinned.map((p) => <div><Quote text={p.path} /> <code>{groups(p.hash, 2)}</code></div>);
}

function Caller({ card }: { card: Card }): JSX.Element {
  const sub = card.subagent;
  return (
    <>
      <Fact name={t("Caller")}><Name text={callerName(card.caller)} /> <span class="label">{t("(its own claim)")}</span></Fact>
      <Fact name={t("Session")}>{card.session === "" ? t("none named") : <Quote text={card.session} />}</Fact>
      <Fact name={t("Subagent")}>{sub === undefined ? t("none named") : <Quote text={[sub.type, sub.id].filter((s) => s !== "").join(" ")} />}</Fact>
    </>
  );
}

export function About({ card }: { card: Card }): JSX.Element {
  const n = <span class="num">{number(card.log.size)}</span>;
  return (
    <details>
      <summary>{t("About this call")}<Icon name="down" /></summary>
      <dl class="facts">
        {card.kind !== "admin" && <Caller card={card} />}
        {card.human !== "" && <Fact name={t("Asked for")}><Name text={card.human} /></Fact>}
        {card.kind === "call" && <Fact name={t("Files it runs")}>{pinned(card)}</Fact>}
        {card.needs.quorum > 1 && <Fact name={t("Needs")}>{t("{n} devices to allow", { n: card.needs.quorum })}</Fact>}
        <Fact name={t("Log")}>{sentence("Your answer countersigns {n} records", { n })}</Fact>
        <Fact name={t("Call digest")}><code>{groups(card.call_digest, 4)}</code></Fact>
      </dl>
    </details>
  );
}
