// How a card ends, in words and a stamp. A blue stamp is printed only from a receipt that names the bytes that were sent, a grey one also
// from settled; until then there is a dashed place. Nothing here says "allowed" before the machine has.
import type { ComponentChildren, JSX } from "preact";
import { Icon } from "./icons.tsx";
import { t } from "./i18n.ts";
import { hour, second, tick } from "./clock.ts";
import { callerName } from "./names.ts";
import { core, offsetOf } from "./store.ts";
import { Name, Quote, plain } from "./text.tsx";
import type { Decision, Receipt, Settled, Waiting } from "../core/types.ts";

interface Print { ink: "blue" | "grey" | "none"; what: string; who: string; at: number }

export interface Outcome { says: string; more?: ComponentChildren; print: Print; again?: boolean }

/** Words that the person gave with a Deny, while the app is open. */
export const said = new Map<string, string>();

export const Stamp = ({ print }: { print: Print }): JSX.Element => (print.ink === "none"
  ? <p class="stamp none">{t("no receipt yet")}</p>
  : <p class={print.ink === "grey" ? "stamp grey" : "stamp"}><span><span class="what">{print.what}</span> <Name text={print.who} /> <span class="num">{second(print.at)}</span></span></p>);

const waits: Print = { ink: "none", what: "", who: "", at: 0 };

const seconds = (at: number): number => Math.max(1, Math.ceil((at - tick.value) / 1000));

function mine(w: Waiting): ComponentChildren {
  const own = said.get(w.card.request_id);
  return own === undefined || own === "" ? undefined : <>{t("You said")}: <span class="own">{own}</span></>;
}

function accepted(w: Waiting, decision: Decision, r: Receipt): Outcome {
  const print: Print = { ink: "blue", what: t("Accepted by"), who: w.card.host, at: r.time };
  const host = w.card.host;
  switch (decision) {
    case "allow": return { says: t("Allowed. Accepted by {host}.", { host }), print };
    case "deny": return { says: t(w.card.kind === "question" ? "Declined. Accepted by {host}." : "Denied. Accepted by {host}.", { host }), more: mine(w), print };
    case "answered": return { says: t("Answered. Accepted by {host}.", { host }), print };
    case "hand_back": return { says: t("Handed back. Accepted by {host}.", { host }), print };
  }
}

function counted(w: Waiting, r: Receipt): Outcome {
  const a = r.count ?? 0, n = r.of ?? w.card.needs.quorum;
  const says = n - a === 1 ? t("{a} of {n} have allowed. One more device is needed.", { a, n }) : t("{a} of {n} have allowed. {m} more devices are needed.", { a, n, m: n - a });
  return { says, print: { ink: "blue", what: t("Counted by"), who: w.card.host, at: r.time } };
}

function tooLate(w: Waiting, decision: Decision, r: Receipt): Outcome {
  const places = { host: w.card.host, caller: callerName(w.card.caller), time: second(w.card.expires) };
  const more = t(decision === "allow"
    ? "{host} stopped waiting at {time}. Your Allow did nothing; {caller} asks again if it still wants to."
    : "{host} stopped waiting at {time}. Your answer did nothing; {caller} asks again if it still wants to.", places);
  return { says: t("Too late."), more, print: { ink: "grey", what: t("Too late"), who: w.card.host, at: r.time } };
}

/** What another device decided, by the machine's word for it. */
function there(decision: string | undefined, time: string): string {
  if (decision === "allow" || decision === "allowed") return t("It was allowed there at {time}.", { time });
  if (decision === "deny" || decision === "denied") return t("It was denied there at {time}.", { time });
  return t("It was answered there at {time}.", { time });
}

function elsewhere(host: string, device: string | undefined, decision: string | undefined, time: number, used: boolean): Outcome {
  const who = device === undefined || device === "" ? host : device;
  const says = t(used ? "Answered by {device} first." : "Answered by {device}.", { device: plain(who) });
  const more = there(decision, second(time)) + (used ? " " + t("Your answer was not used.") : "");
  return { says, more, print: { ink: "grey", what: t("Answered by"), who, at: time } };
}

function refused(w: Waiting, r: Receipt): Outcome {
  const more = r.file !== undefined && r.file !== ""
    ? <><Quote text={r.file} /> {t("changed after the card was shown. Nothing ran.")}</>
    : t("{host} did not take this answer. Nothing ran.", { host: w.card.host });
  return { says: t("Refused by {host}.", { host: w.card.host }), more, print: { ink: "grey", what: t("Refused"), who: w.card.host, at: r.time } };
}

function withdrawn(w: Waiting, at: number): Outcome {
  const more = t("{host} no longer asks this device.", { host: w.card.host }); // the caller moved on, the agent started anew, or the device was removed
  return { says: t("Withdrawn."), more, print: { ink: "grey", what: t("Withdrawn"), who: w.card.host, at } };
}

function receipt(w: Waiting, decision: Decision, r: Receipt): Outcome {
  const host = w.card.host, caller = callerName(w.card.caller);
  switch (r.outcome) {
    case "accepted": return accepted(w, decision, r);
    case "counted": return counted(w, r);
    case "too_late": return tooLate(w, decision, r);
    case "answered": return elsewhere(host, r.device, r.decision, r.time, true);
    case "refused": return refused(w, r);
    case "withdrawn": return withdrawn(w, r.time);
    case "undelivered": return {
      says: t("Accepted by {host}, delivered to nobody.", { host }), more: t("{caller} was gone when the answer came. Nothing ran because of it.", { caller }),
      print: { ink: "grey", what: t("Undelivered"), who: host, at: r.time },
    };
    case "unknown": return {
      says: t("{host} does not know this call.", { host }), more: t("It has started anew since, and every old card is void. {caller} asks again if it still wants to.", { caller }),
      print: { ink: "grey", what: t("Unknown"), who: host, at: r.time },
    };
  }
}

function settled(w: Waiting, s: Settled): Outcome {
  const host = w.card.host, caller = callerName(w.card.caller);
  const grey = (what: string): Print => ({ ink: "grey", what, who: host, at: s.time });
  switch (s.outcome) {
    case "allowed": case "denied": case "answered": return elsewhere(host, s.device, s.decision ?? s.outcome, s.time, false);
    case "terminal": return { says: t("Answered at the terminal."), more: t("Someone at {host} answered {caller}’s own prompt.", { host, caller }), print: grey(t("At the terminal")) };
    case "withdrawn": return withdrawn(w, s.time);
    case "expired": return { says: t("Expired at {time}.", { time: hour(w.card.expires - offsetOf(w.machine)) }), print: grey(t("Expired")) };
    case "handed_back": return { says: t("Handed back."), more: t("{caller} asks at its own prompt on {host}.", { host, caller }), print: grey(t("Handed back")) };
  }
}

/** What to say of a card that was answered or has ended; undefined while it is open. */
export function outcomeOf(w: Waiting): Outcome | undefined {
  const host = w.card.host, time = hour(w.card.expires - offsetOf(w.machine)), p = w.progress;
  switch (p.at) {
    case "open": return undefined;
    case "sending": return { says: t("Sent. Waiting for {host}.", { host }), more: t("Not settled until its receipt is here."), print: waits };
    case "not_delivered": return {
      says: t("Not delivered. Trying again in {n} s.", { n: seconds(p.nextTry) }),
      more: t("No way to {host} just now. Your answer is kept and sent again until {time}.", { host, time }), print: waits, again: true,
    };
    case "no_receipt": return {
      says: t("No receipt yet. Sending again in {n} s.", { n: seconds(p.nextTry) }),
      more: t("{host} may or may not have your answer. The same answer is sent again until {time}; it counts once.", { host, time }), print: waits, again: true,
    };
    case "receipt": return receipt(w, p.decision, p.receipt);
    case "settled": return settled(w, p.settled);
    case "expired": return { says: t("Expired at {time}.", { time }), print: waits };
  }
}

/** The sentence without its countdown, so that a screen reader hears each state once. */
function spoken(w: Waiting, o: Outcome): string {
  if (w.progress.at === "not_delivered") return t("Not delivered.");
  if (w.progress.at === "no_receipt") return t("No receipt yet.");
  return o.says;
}

/** The outcome where the buttons were. */
export function End({ w }: { w: Waiting }): JSX.Element | null {
  const o = outcomeOf(w);
  if (o === undefined) return null;
  const retry = o.again ? core().retry : undefined;
  return (
    <>
      <div class="end">
        <p aria-hidden="true">{o.says}</p>
        {o.more !== undefined && <p class="small">{o.more}</p>}
        <p class="vh" role="status">{spoken(w, o)}</p>
      </div>
      {w.progress.at !== "expired" && <Stamp print={o.print} />}
      {retry && <button type="button" class="btn block" onClick={() => retry.call(core())}><Icon name="again" />{t("Try now")}</button>}
    </>
  );
}

