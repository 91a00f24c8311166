// The finder: what the camera sees, with four corners. The stream was opened by the tap that led here.
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { sentence, t } from "./i18n.ts";
import { closeCamera, look, openCamera } from "./scan.ts";
import { Icon } from "./icons.tsx";
import { Title } from "./page.tsx";

let asked: Promise<MediaStream> | undefined;

/** To be called in the tap itself: browsers give the camera to a tap, once. */
export function askCamera(): void {
  asked?.then(closeCamera, () => undefined);
  asked = navigator.mediaDevices === undefined ? Promise.reject(new Error("no camera")) : openCamera();
  asked.catch(() => undefined);
}

/** Shows the camera in the element and reads until a code is found, the page is hidden or the screen is left. */
function run(video: HTMLVideoElement, found: (text: string) => void, lost: () => void): () => void {
  const stop = new AbortController(), from = asked ?? Promise.reject(new Error("not asked"));
  asked = undefined;
  const end = () => { stop.abort(); from.then(closeCamera, () => undefined); video.srcObject = null; };
  const hidden = () => { if (document.hidden) { end(); lost(); } };
  document.addEventListener("visibilitychange", hidden);
  from.then(async (stream) => {
    if (stop.signal.aborted) return;
    video.srcObject = stream;
    await video.play();
    const text = await look(video, stop.signal);
    end();
    if (text !== undefined) found(text);
  }).catch(() => { if (!stop.signal.aborted) lost(); });
  return () => { document.removeEventListener("visibilitychange", hidden); end(); };
}

export function Scan({ found }: { found(text: string): void }): JSX.Element {
  const video = useRef<HTMLVideoElement>(null);
  const [turn, setTurn] = useState(0), [dark, setDark] = useState(asked === undefined);
  useLayoutEffect(() => (video.current && !dark ? run(video.current, found, () => setDark(true)) : undefined), [turn]);
  const again = () => { askCamera(); setDark(false); setTurn((n) => n + 1); };
  return (
    <main id="main" class="page">
      <div class="top"><a class="back" href="#/pair"><Icon name="back" />{t("Back")}</a></div>
      <div><Title at="scan">{t("Scan the code on your machine")}</Title></div>
      <p class="small">{sentence("There, run {cmd}. The code is good for ten minutes and for one phone.", { cmd: <kbd>answerback pair</kbd> })}</p>
      <figure class="finder" role="img" aria-label={t("Camera picture")}><video ref={video} playsInline muted hidden={dark} /><div class="corners" /></figure>
      <p class="small" role="status">{dark ? t("The camera is off.") : t("Looking for a code…")}</p>
      <div class="bar plainbar">
        {dark && <button type="button" class="btn fill block" onClick={again}>{t("Open the camera")}</button>}
        <a class="btn block" href="#/pair/paste">{t("Paste the link instead")}</a>
      </div>
    </main>
  );
}
