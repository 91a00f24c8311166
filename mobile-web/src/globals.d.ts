// Values that build.mjs writes into the bundles.

/** Build id: 16 hex digits over the served tree. */
declare const __BUILD__: string;
/** Service worker only: paths of the offline shell. */
declare const __SHELL__: readonly string[];
