// Screens that are not needed at the start are loaded when they are first shown; the service worker keeps them, so this works offline.
import type { ComponentType, FunctionComponent, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "./i18n.ts";

/** A component that loads the real one, once. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): FunctionComponent<P> {
  let found: ComponentType<P> | undefined;
  return function Lazy(props: P): JSX.Element {
    const [, again] = useState(0), [failed, setFailed] = useState(false);
    const get = () => { setFailed(false); load().then((c) => { found = c; again((n) => n + 1); }, () => setFailed(true)); };
    useEffect(() => { if (found === undefined) get(); }, []);
    const Found = found;
    return Found === undefined ? <Coming failed={failed} again={get} /> : <Found {...props} />;
  };
}

function Coming({ failed, again }: { failed: boolean; again(): void }): JSX.Element {
  if (!failed) return <main id="main" class="page desk" aria-busy="true" />;
  return (
    <main id="main" class="page desk"><div class="empty">
      <h1 tabIndex={-1}>{t("This part of the app did not load.")}</h1>
      <button type="button" class="btn" onClick={again}>{t("Try again")}</button>
    </div></main>
  );
}
