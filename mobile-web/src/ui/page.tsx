// What every screen shares: the heading that takes the focus when a screen opens, and the page's own title.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { open } from "./store.ts";

interface TitleProps { at: string; ask?: boolean; children: string; more?: ComponentChildren }

/** The one h1 of a screen. `at` names the screen: when it changes, focus moves to the heading and the page to its top. */
export function Title({ at, ask, children }: TitleProps): JSX.Element {
  const h1 = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    scrollTo(0, 0);
    h1.current?.focus({ preventScroll: true });
  }, [at]);
  useEffect(() => {
    const n = open.value.length;
    document.title = `${n > 0 ? `(${n}) ` : ""}${children} · Answerback`;
  });
  return <h1 class={ask ? "ask" : undefined} tabIndex={-1} ref={h1}>{children}</h1>;
}
