/** The browser's database of game files; the page and its worker share it. */

export const FILES = "files"; // [tab, id] -> {name, blob}
export const CHANGES = "changes"; // [tab, id, number of the game] -> text

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
export const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** Resolves when all that a transaction wrote is stored. @param {IDBTransaction} transaction @returns {Promise<void>} */
export const committed = (transaction) => new Promise((resolve, reject) => {
  transaction.oncomplete = () => resolve();
  transaction.onabort = () => reject(transaction.error);
});

/** @returns {Promise<IDBDatabase|null>} null if the browser has no database, or refuses it */
export async function openDatabase() {
  try {
    const request = indexedDB.open("adversary", 1);
    request.onupgradeneeded = () => { for (const name of [FILES, CHANGES]) request.result.createObjectStore(name); };
    return await done(request);
  } catch {
    return null;
  }
}

/** The games of a file that were changed, by their numbers. @param {IDBDatabase} database @param {[string, number]} key @returns {Promise<Map<number, string>>} */
export async function changedGames(database, key) {
  const store = database.transaction(CHANGES, "readonly").objectStore(CHANGES);
  const range = IDBKeyRange.bound(key, [...key, []]);
  const [keys, texts] = await Promise.all([done(store.getAllKeys(range)), done(store.getAll(range))]);
  return new Map(keys.map((/** @type {any} */ changed, index) => [changed[2], texts[index]]));
}
