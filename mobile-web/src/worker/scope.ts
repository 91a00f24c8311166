// The service worker's own global scope, typed as what it is.

export const worker = self as unknown as ServiceWorkerGlobalScope;
