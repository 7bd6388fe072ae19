/** The game files of this tab, in the browser's database: each file as it was opened, and the games that were changed since. */

import { splitGames } from "./pgn.js";
import { COPY_OF, storedIds, TAB } from "./store.js";

/** @typedef {import("./pgn.js").Entry} Entry */
/** @typedef {{id: number, name: string}} FileName */

const MOST_FILES = 8; // of a tab
const FILES = "files"; // [tab, id] -> {name, text}
const CHANGES = "changes"; // [tab, id, number of the game] -> text

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** @returns {Promise<IDBDatabase|null>} null if the browser has no database */
async function openDatabase() {
  try {
    const request = indexedDB.open("adversary", 1);
    request.onupgradeneeded = () => { for (const name of [FILES, CHANGES]) request.result.createObjectStore(name); };
    return await done(request);
  } catch {
    return null;
  }
}

/** One file of games. */
export class GameFile {
  /** @param {number} id @param {string} name @param {Entry[]} entries */
  constructor(id, name, entries) {
    this.id = id;
    this.name = name;
    this.entries = entries;
  }

  /** @param {number} number @param {string} text */
  change(number, text) {
    this.entries[number] = splitGames(text)[0] ?? this.entries[number];
  }

  text() {
    return `${this.entries.map(({ text }) => text.trim()).join("\n\n")}\n`;
  }
}

export class Library {
  constructor() {
    this.database = openDatabase();
    this.ready = this.database.then((database) => database && this.tidy(database)).catch(() => {});
  }

  /** @param {string} store @param {IDBTransactionMode} mode @returns {Promise<IDBObjectStore|null>} */
  async store(store, mode) {
    const database = await this.database;
    return database && database.transaction(store, mode).objectStore(store);
  }

  /** Copies the files of the tab that this one duplicates, and deletes those of tabs that are forgotten. @param {IDBDatabase} database */
  async tidy(database) {
    const known = new Set([...storedIds(), TAB]);
    for (const name of [FILES, CHANGES]) {
      const store = database.transaction(name, "readwrite").objectStore(name);
      for (const key of /** @type {any[][]} */ (await done(store.getAllKeys()))) {
        if (!known.has(key[0])) store.delete(key);
        else if (key[0] === COPY_OF) store.put(await done(store.get(key)), [TAB, ...key.slice(1)]);
      }
    }
  }

  /** The files of this tab, the latest first. @returns {Promise<FileName[]>} */
  async files() {
    await this.ready;
    const store = await this.store(FILES, "readonly");
    if (!store) return [];
    const range = IDBKeyRange.bound([TAB], [TAB, []]);
    const [keys, values] = await Promise.all([done(store.getAllKeys(range)), done(store.getAll(range))]);
    return values.map(({ name }, index) => ({ id: keys[index][1], name })).reverse();
  }

  /** A file of this tab that was opened with this name and text; null if there is none. @param {string} name @param {string} text */
  async find(name, text) {
    for (const { id } of (await this.files()).filter((file) => file.name === name)) {
      const store = await this.store(FILES, "readonly");
      if (store && (await done(store.get([TAB, id]))).text === text) return this.open(id);
    }
    return null;
  }

  /** Adds a file; the oldest ones make room. @param {string} name @param {string} text @param {Entry[]} entries */
  async add(name, text, entries) {
    const file = new GameFile(Date.now(), name, entries);
    await this.ready;
    const old = (await this.files()).slice(MOST_FILES - 1);
    for (const { id } of old) await this.remove(id);
    const store = await this.store(FILES, "readwrite");
    await (store && done(store.put({ name, text }, [TAB, file.id])).catch(() => {}));
    return file;
  }

  /** @param {number} id @returns {Promise<GameFile|null>} */
  async open(id) {
    await this.ready;
    const store = await this.store(FILES, "readonly");
    const found = store && await done(store.get([TAB, id]));
    if (!found) return null;
    const entries = splitGames(found.text);
    const changes = /** @type {IDBObjectStore} */ (await this.store(CHANGES, "readonly"));
    const range = IDBKeyRange.bound([TAB, id], [TAB, id, []]);
    const [keys, texts] = await Promise.all([done(changes.getAllKeys(range)), done(changes.getAll(range))]);
    keys.forEach((key, index) => { entries[key[2]] = splitGames(texts[index])[0] ?? entries[key[2]]; });
    return new GameFile(id, found.name, entries);
  }

  /** Keeps the new text of a game. @param {import("./study.js").Place} place @param {string} text */
  async change({ file, number }, text) {
    await this.ready;
    const store = await this.store(CHANGES, "readwrite");
    store?.put(text, [TAB, file, number]);
  }

  /** @param {number} id */
  async remove(id) {
    const files = await this.store(FILES, "readwrite");
    files?.delete([TAB, id]);
    const changes = await this.store(CHANGES, "readwrite");
    changes?.delete(IDBKeyRange.bound([TAB, id], [TAB, id, []]));
  }
}
