/** The game files of this tab, in the browser's database: each file as it was opened, and the games that were changed since. */

import { CHANGES, committed, done, FILES, openDatabase } from "./database.js";
import { readGames } from "./reader.js";
import { splitGames } from "./split.js";
import { COPY_OF, storedIds, TAB } from "./store.js";

/** @typedef {import("./split.js").Entry} Entry */
/** @typedef {{id: number, name: string}} FileName */

const MOST_FILES = 8; // of a tab

/** One file of games. */
export class GameFile {
  /** @param {number} id @param {string} name */
  constructor(id, name) {
    this.id = id;
    this.name = name;
    /** @type {Entry[]} */
    this.entries = [];
    /** Games that were changed before they were read, by their numbers. @type {Map<number, Entry>} */
    this.changed = new Map();
    this.isComplete = false; // all games are read
  }

  /** Adds games as they are read. @param {Entry[]} entries */
  append(entries) {
    for (const entry of entries) this.entries.push(this.changed.get(this.entries.length) ?? entry);
  }

  /** @param {number} number @param {string} text */
  change(number, text) {
    const [entry] = splitGames(text);
    if (number < this.entries.length) this.entries[number] = entry;
    else this.changed.set(number, entry);
  }

  /** All games as the parts of one text. */
  texts() {
    return this.entries.map(({ text }) => `${text.trim()}\n\n`);
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

  /** The name and the bytes of a file of this tab; null if it is not stored. @param {number} id @returns {Promise<{name: string, blob: Blob}|null>} */
  async find(id) {
    await this.ready;
    const store = await this.store(FILES, "readonly");
    const stored = store && await done(store.get([TAB, id]));
    return stored ? { name: stored.name, blob: stored.blob ?? new Blob([stored.text]) } : null; // earlier versions stored a text
  }

  /** The number of the file of this tab that was opened with this name and content; null if there is none. @param {string} name @param {Blob} blob */
  async idOf(name, blob) {
    for (const { id } of (await this.files()).filter((file) => file.name === name)) {
      const stored = await this.find(id);
      if (stored?.blob.size === blob.size && await stored.blob.text() === await blob.text()) return id;
    }
    return null;
  }

  /** Stores a file; the oldest ones make room. Returns whether it is stored. @param {GameFile} file @param {Blob} blob */
  async add({ id, name }, blob) {
    await this.ready;
    const old = (await this.files()).slice(MOST_FILES - 1);
    for (const file of old) await this.remove(file.id);
    const store = await this.store(FILES, "readwrite");
    try {
      store?.put({ name, blob }, [TAB, id]);
      if (store) await committed(store.transaction);
      return Boolean(store);
    } catch {
      return false;
    }
  }

  /** The games of a stored file as they are now, in batches. @param {number} id @param {Blob} blob */
  read(id, blob) {
    return readGames(blob, [TAB, id]);
  }

  /** Keeps the new text of a game. @param {import("./study.js").GameId} gameId @param {string} text */
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
