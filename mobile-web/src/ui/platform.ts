// What kind of browser this is, as far as the screens must know.
import { installed, mustInstall, onIOS } from "../core/platform.ts";

export { installed, mustInstall, onIOS };

/** A first guess at this phone's name; the person can change it. */
export function guessName(agent = navigator.userAgent): string {
  if (/iPad/.test(agent) || onIOS(agent) && /Macintosh/.test(agent)) return "iPad";
  if (/iPhone|iPod/.test(agent)) return "iPhone";
  const browser = /Firefox\//.test(agent) ? "Firefox" : /SamsungBrowser\//.test(agent) ? "Samsung Internet" : /Edg\//.test(agent) ? "Edge" : /Chrome\//.test(agent) ? "Chrome" : "Safari";
  return /Android/.test(agent) ? (/Pixel/.exec(agent)?.[0] ?? "Android") : browser;
}
