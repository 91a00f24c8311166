// What page and service worker agree on about notifications. Only the worker shows and closes them: two hands would undo each other's work.

/** What every notification of ours carries. open: it waits for an answer; group: several do; ended: it says how one ended; note: anything else. */
export interface Carried { at: "open" | "group" | "ended" | "note"; machine: string; request: string }

/** The page to the worker: calls were answered or ended in the app, so their notifications go; seen: a person looks at the app. */
export interface Tidy { tidy: { seen: boolean } }

/** The worker to the page: show this address (a card's). */
export interface Open { open: string }
