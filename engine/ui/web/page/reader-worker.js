/** The worker that reads files of games, so that the page answers meanwhile. It is sent one file, and sends its games in batches. */

import { changedGames, openDatabase } from "./database.js";
import { decodeText, gameSpans, splitGames } from "./split.js";

/** @typedef {import("./split.js").Entry} Entry */
/** @typedef {{text: string, headers: Record<string, string>[], ends: number[], share: number}} Batch the games in the text end at `ends`; `share` of the file is read */

const FIRST = 40; // games of the first batch, which can be shown at once
const MOST = 200; // games of the others

/** @param {[string, number]|null} key of a stored file */
async function readChanges(key) {
  const database = key && await openDatabase();
  return database && key ? changedGames(database, key) : new Map();
}

class BatchSender {
  constructor() {
    this.most = FIRST;
    this.clear();
  }

  clear() {
    /** @type {string[]} */
    this.texts = [];
    /** @type {Record<string, string>[]} */
    this.headers = [];
    /** @type {number[]} */
    this.ends = [];
    this.length = 0;
  }

  /** @param {Entry} entry @param {number} share of the file that is read with it */
  add({ headers, text }, share) {
    this.texts.push(text);
    this.headers.push(headers);
    this.length += text.length;
    this.ends.push(this.length);
    if (this.headers.length === this.most) this.send(share);
  }

  /** @param {number} share */
  send(share) {
    if (this.headers.length) postMessage({ text: this.texts.join(""), headers: this.headers, ends: this.ends, share });
    this.most = MOST;
    this.clear();
  }
}

/** @param {Blob} blob @param {[string, number]|null} key */
async function readGames(blob, key) {
  const changes = await readChanges(key);
  const text = decodeText(new Uint8Array(await blob.arrayBuffer()));
  const sender = new BatchSender();
  let number = 0;
  for (const { headers, begin, end } of gameSpans(text)) {
    const changed = changes.get(number);
    const entry = changed === undefined ? null : splitGames(changed)[0];
    sender.add(entry ?? { headers, text: text.slice(begin, end) }, end / text.length);
    number += 1;
  }
  sender.send(1);
}

addEventListener("message", async ({ data: { blob, key } }) => {
  try {
    await readGames(blob, key);
    postMessage({ share: 1 });
  } catch (error) {
    postMessage({ error: /** @type {Error} */ (error).message });
  }
});
