// IndexedDB as promises. Inside a transaction nothing else may be awaited: browsers differ in whether the transaction then lives on.

/** The result of one request. */
export function got<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("storage: request failed"));
  });
}

/** Opens a database; upgrade makes its stores when it is new or older. */
export function openDatabase(name: string, version: number, upgrade: (db: IDBDatabase, from: number) => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = (e) => upgrade(request.result, e.oldVersion);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("storage: cannot open"));
    request.onblocked = () => reject(new Error("storage: another window holds an older version open; close it"));
  });
}

export function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = request.onerror = request.onblocked = () => resolve();
  });
}

/** Resolves once a transaction is on disk, rejects when nothing of it is. */
function finished(tx: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    tx.oncomplete = () => resolve();
    tx.onabort = () => reject(tx.error ?? new Error("storage: transaction given up"));
  });
}

/** Runs one transaction. work may await got() only; when it throws, nothing is written. */
export async function transact<T>(db: IDBDatabase, stores: string[], mode: IDBTransactionMode, work: (tx: IDBTransaction) => Promise<T>): Promise<T> {
  const tx = db.transaction(stores, mode, { durability: mode === "readwrite" ? "strict" : "default" });
  const end = finished(tx);
  end.catch(() => undefined); // reported below, or by work
  try {
    const out = await work(tx);
    await end;
    return out;
  } catch (e) {
    try {
      tx.abort();
    } catch {
      // over already
    }
    throw e;
  }
}
