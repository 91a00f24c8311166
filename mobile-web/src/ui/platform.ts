// What kind of browser this is, as far as the screens must know.

interface Standalone { standalone?: boolean }

/** iPhone or iPad; an iPad calls itself a Mac, but is touched. */
export const onIOS = (agent = navigator.userAgent, touches = navigator.maxTouchPoints): boolean =>
  /iPhone|iPad|iPod/.test(agent) || (/Macintosh/.test(agent) && touches > 1);

/** Opened from the Home Screen, not in a browser's tab. */
export const installed = (): boolean => (navigator as Standalone).standalone === true || matchMedia("(display-mode: standalone)").matches;

/** A tab of iOS, whose keys the installed app would never see: it must not use a code. */
export const mustInstall = (): boolean => onIOS() && !installed();

/** A first guess at this phone's name; the person can change it. */
export function guessName(agent = navigator.userAgent): string {
  if (/iPad/.test(agent) || onIOS(agent) && /Macintosh/.test(agent)) return "iPad";
  if (/iPhone|iPod/.test(agent)) return "iPhone";
  const browser = /Firefox\//.test(agent) ? "Firefox" : /SamsungBrowser\//.test(agent) ? "Samsung Internet" : /Edg\//.test(agent) ? "Edge" : /Chrome\//.test(agent) ? "Chrome" : "Safari";
  return /Android/.test(agent) ? (/Pixel/.exec(agent)?.[0] ?? "Android") : browser;
}
