// A tap on a notification while the app is open: the service worker says which card.
import { go } from "./route.ts";
import type { Open } from "../core/notices.ts";

/** Follows it for as long as the page lives. */
export function followNotifications(): void {
  navigator.serviceWorker?.addEventListener("message", (e: MessageEvent<Partial<Open> | null>) => {
    const address = e.data?.open;
    if (typeof address === "string" && address.startsWith("#/")) go(address);
  });
}
