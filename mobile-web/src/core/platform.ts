// What kind of browser this is, as far as it decides what can be done.

interface Standalone { standalone?: boolean }

/** iPhone or iPad; an iPad calls itself a Mac, but is touched. */
export const onIOS = (agent = navigator.userAgent, touches = navigator.maxTouchPoints): boolean =>
  /iPhone|iPad|iPod/.test(agent) || (/Macintosh/.test(agent) && touches > 1);

/** Opened from the Home Screen, not in a browser's tab. */
export const installed = (): boolean => (navigator as Standalone).standalone === true || matchMedia("(display-mode: standalone)").matches;

/** A tab of iOS: the installed app would never see its keys, and no push reaches it. */
export const mustInstall = (): boolean => onIOS() && !installed();
