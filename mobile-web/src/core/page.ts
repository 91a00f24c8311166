// What the core needs to know of the page that it runs in, in one place.

export interface Page {
  origin: string;
  /** What this device calls its platform. */
  platform: string;
  visible(): boolean;
  /** The page came into view, or the network came back or went away: time to ask the machine whether it is there. */
  onWake(wake: () => void): void;
}

const PLATFORMS: [RegExp, string][] = [[/iPhone|iPad|iPod/, "iOS"], [/Android/, "Android"], [/Mac OS X/, "macOS"], [/Windows/, "Windows"], [/CrOS/, "ChromeOS"], [/Linux/, "Linux"]];

export const thisPage: Page = {
  origin: location.origin,
  platform: PLATFORMS.find(([pattern]) => pattern.test(navigator.userAgent))?.[1] ?? "browser",
  visible: () => document.visibilityState === "visible",
  onWake(wake) {
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") wake();
    });
    window.addEventListener("online", wake);
    window.addEventListener("offline", wake); // a relay on this machine still answers; any other one's silence shows in seconds
    window.addEventListener("pageshow", (e) => {
      if (e.persisted) wake(); // brought back from the back-forward cache, its socket is gone
    });
  },
};
