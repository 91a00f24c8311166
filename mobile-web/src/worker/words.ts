// The words of notifications. English is the key, as on the screens; the Portuguese is the screens' own, sentence by sentence (a test holds
// the two together): a worker has no time to load a table.

import type { Store } from "../core/store.ts";

const PT = {
  "Allow": "Permitir",
  "Deny": "Negar",
  "Decline": "Recusar",
  "Open": "Abrir",
  "{caller} on {host}: command": "{caller} em {host}: comando",
  "{caller} on {host}: command, sensitive": "{caller} em {host}: comando, sensível",
  "{caller} on {host}: command, destructive": "{caller} em {host}: comando, destrutivo",
  "{caller} on {host}: edit": "{caller} em {host}: edição",
  "{caller} on {host}: edit, sensitive": "{caller} em {host}: edição, sensível",
  "{caller} on {host}: edit, destructive": "{caller} em {host}: edição, destrutiva",
  "{caller} on {host}: write": "{caller} em {host}: gravação",
  "{caller} on {host}: write, sensitive": "{caller} em {host}: gravação, sensível",
  "{caller} on {host}: write, destructive": "{caller} em {host}: gravação, destrutiva",
  "{caller} on {host}: {tool}": "{caller} em {host}: {tool}",
  "{caller} on {host}: {tool}, sensitive": "{caller} em {host}: {tool}, sensível",
  "{caller} on {host}: {tool}, destructive": "{caller} em {host}: {tool}, destrutiva",
  "{caller} on {host}: question": "{caller} em {host}: pergunta",
  "{host} asks to add a device": "{host} pede para adicionar um aparelho",
  "{host} asks to add a device without the old ones": "{host} pede para adicionar um aparelho sem os antigos",
  "{host} asks to change its policy": "{host} pede para mudar sua política",
  "{host} asks to add a rule": "{host} pede para adicionar uma regra",
  "{caller} on {host} waits": "{caller} em {host} espera",
  "{n} calls wait on {host}": "{n} chamadas esperam em {host}",
  "Open to answer them one by one.": "Abra para responder uma a uma.",
  "Open to read it whole.": "Abra para ler inteira.",
  "Open to read it whole. Needs your passkey.": "Abra para ler inteira. Exige sua passkey.",
  "Needs your passkey.": "Exige sua passkey.",
  "Subagent": "Subagente",
  "until {time}": "até {time}",
  "Expired at {time}.": "Expirou às {time}.",
  "Sent. Waiting for {host}.": "Enviado. À espera de {host}.",
  "Not delivered. Open to try again.": "Não entregue. Abra para tentar de novo.",
  "No receipt yet.": "Ainda sem recibo.",
  "This phone could not sign. Nothing was sent.": "Este telefone não conseguiu assinar. Nada foi enviado.",
  "Allowed. Accepted by {host}.": "Permitido. Aceito por {host}.",
  "Denied. Accepted by {host}.": "Negado. Aceito por {host}.",
  "Declined. Accepted by {host}.": "Recusado. Aceito por {host}.",
  "Answered. Accepted by {host}.": "Respondido. Aceito por {host}.",
  "Handed back. Accepted by {host}.": "Devolvido. Aceito por {host}.",
  "{a} of {n} have allowed. One more device is needed.": "{a} de {n} permitiram. Falta mais um aparelho.",
  "{a} of {n} have allowed. {m} more devices are needed.": "{a} de {n} permitiram. Faltam mais {m} aparelhos.",
  "Too late.": "Tarde demais.",
  "Answered by {device} first.": "Respondido antes por {device}.",
  "Answered by {device}.": "Respondido por {device}.",
  "Accepted by {host}, delivered to nobody.": "Aceito por {host}, entregue a ninguém.",
  "Refused by {host}.": "Recusado por {host}.",
  "{host} does not know this call.": "{host} não conhece esta chamada.",
  "Withdrawn.": "Retirada.",
  "Answered at the terminal.": "Respondido no terminal.",
  "Handed back.": "Devolvida.",
  "Notifications reach this phone": "As notificações chegam a este telefone",
  "Something came that could not be read.": "Chegou algo que não pôde ser lido.",
  "Open the app to see what waits.": "Abra o app para ver o que espera.",
} as const;

export type Sentence = keyof typeof PT;

export interface Voice {
  lang: string;
  /** A sentence with its places filled. */
  t(key: Sentence, places?: Readonly<Record<string, string | number>>): string;
  /** 14:03, by this phone's clock. */
  hour(ms: number): string;
  /** 14:02:07 */
  second(ms: number): string;
}

/** The language of the screens, or, before they spoke any, the browser's. */
export async function voice(store: Store): Promise<Voice> {
  const chosen = await store.setting<string>("language").catch(() => undefined);
  return voiceOf(chosen ?? (/^pt\b/i.test(navigator.language) ? "pt-BR" : "en"));
}

export function voiceOf(lang: string): Voice {
  const words = (key: Sentence): string => (lang === "pt-BR" ? PT[key] : key);
  const clock = (ms: number, seconds: boolean): string =>
    new Intl.DateTimeFormat(lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...(seconds ? { second: "2-digit" } : {}) }).format(ms);
  return {
    lang,
    t: (key, places = {}) => words(key).replace(/\{(\w+)\}/g, (whole, name: string) => String(places[name] ?? whole)),
    hour: (ms) => clock(ms, false),
    second: (ms) => clock(ms, true),
  };
}
