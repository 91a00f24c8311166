// The app's words. English is the key; Portuguese comes from a table that is loaded only when it is spoken. A placeholder is a
// name in braces; sentence() puts elements in their places, so that names and times keep their markup.
import { signal } from "@preact/signals";
import type { ComponentChild } from "preact";

export type Lang = "en" | "pt-BR";
/** What the person chose: a language, or "" for the phone's own. */
export type Choice = "" | Lang;

const KEPT = "answerback.language";

/** The choice, kept on the phone. */
export const choice = signal<Choice>(kept());
/** The language that is spoken now. It changes when its table is there, never before. */
export const lang = signal<Lang>("en");

let table: Readonly<Record<string, string>> = {};

function kept(): Choice {
  try {
    const was = localStorage.getItem(KEPT);
    return was === "en" || was === "pt-BR" ? was : "";
  } catch { return ""; }
}

const phones = (): Lang => (navigator.languages.find((l) => /^(pt|en)\b/i.test(l)) ?? "en").toLowerCase().startsWith("pt") ? "pt-BR" : "en";

/** Speaks the language chosen, or the phone's. When its table cannot be loaded, English stays. */
export async function speak(wanted: Choice = choice.peek()): Promise<void> {
  const next = wanted === "" ? phones() : wanted;
  if (next === "pt-BR") {
    try { table = (await import("./strings.pt-BR.json")).default; } catch { return; }
  }
  lang.value = next;
  document.documentElement.lang = next;
}

/** Keeps the choice and speaks it. Where nothing can be kept it holds until the page is closed. */
export function choose(wanted: Choice): void {
  choice.value = wanted;
  try {
    if (wanted === "") localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, wanted);
  } catch { /* private windows keep nothing */ }
  void speak(wanted);
}

const words = (key: string): string => (lang.value === "pt-BR" ? table[key] ?? key : key);

/** A sentence with its places filled by plain text. */
export function t(key: string, places: Readonly<Record<string, string | number>> = {}): string {
  return words(key).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = places[name];
    return value === undefined ? whole : typeof value === "number" ? number(value) : value;
  });
}

/** A sentence with its places filled by elements. */
export function sentence(key: string, places: Readonly<Record<string, ComponentChild>>): ComponentChild[] {
  return words(key).split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name !== undefined && name in places ? places[name] : part;
  });
}

/** One or many: the two sentences of a count. */
export const count = (n: number, one: string, many: string): string => t(n === 1 ? one : many, { n });

/** 1,284 or 1.284. */
export const number = (n: number): string => new Intl.NumberFormat(lang.value).format(n);

/** Sizes in words: bytes up to 9,999, then KB of 1,024. */
export const size = (bytes: number): string => (bytes < 10_000 ? `${number(bytes)} B` : `${number(Math.round(bytes / 1024))} KB`);
