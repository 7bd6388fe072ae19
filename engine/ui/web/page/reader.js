/** Reads the games of a file in a worker. */

/** @typedef {import("./split.js").Entry} Entry */
/** @typedef {{entries: Entry[], share: number}} Batch some games, and the share of the file that is read with them */

/** @param {import("./reader-worker.js").Batch} batch @returns {Entry[]} */
const entriesOf = ({ text, headers, ends }) => headers.map((tags, index) => ({ headers: tags, text: text.slice(ends[index - 1] ?? 0, ends[index]) }));

/**
 * The games of a file in batches, of which the first is small. An Error says why the file cannot be read.
 * @param {Blob} blob
 * @param {[string, number]|null} [key] of the stored file, whose changed games are read instead
 * @returns {AsyncGenerator<Batch>}
 */
export async function* readGames(blob, key = null) {
  const worker = new Worker("/page/reader-worker.js", { type: "module" });
  /** @type {any[]} */
  const messages = [];
  let notify = () => {};
  worker.addEventListener("message", ({ data }) => { messages.push(data); notify(); });
  worker.addEventListener("error", () => { messages.push({ error: "The file cannot be read." }); notify(); });
  worker.postMessage({ blob, key });
  try {
    for (;;) {
      if (!messages.length) await new Promise((resolve) => { notify = () => resolve(undefined); });
      const message = messages.shift();
      if (message.error) throw new Error(message.error);
      if (!message.headers) return;
      yield { entries: entriesOf(message), share: message.share };
    }
  } finally {
    worker.terminate();
  }
}

/** All games of a text. @param {string} text @returns {Promise<Entry[]>} */
export async function readAllGames(text) {
  /** @type {Entry[]} */
  const entries = [];
  for await (const batch of readGames(new Blob([text]))) entries.push(...batch.entries);
  return entries;
}
