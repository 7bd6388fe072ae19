/** Files of puzzles of the user's own: the server checks them, and keeps them as a set with the user's progress. */

import { h } from "./dom.js";
import { decodeText } from "./split.js";

const TYPES = ".pgn,.epd,.json,.txt";

/**
 * A button with which one chooses a file of puzzles.
 * @param {(blob: Blob, name: string) => void} load
 */
export function fileButton(load) {
  const input = h("input", { type: "file", accept: TYPES, hidden: true, "aria-label": "File of puzzles", onchange: () => {
    const [file] = input.files;
    if (file) load(file, file.name);
    input.value = "";
  } });
  return h("span.file", {}, h("button", { type: "button", onclick: () => input.click() }, "Load puzzles"), input);
}

/**
 * The fields of the request that keeps a file; an Error if it is larger than a message may be.
 * @param {Blob} blob @param {string} name @param {number} most bytes of a message
 */
export async function fileFields(blob, name, most) {
  const fields = blob.size > most ? null : { title: name, text: decodeText(new Uint8Array(await blob.arrayBuffer())) };
  if (!fields || new Blob([JSON.stringify({ type: "train", request: 1e9, action: "keep", ...fields })]).size > most) {
    throw new Error("The file is too large for the page: adversary train --set FILE keeps it.");
  }
  return fields;
}

/** What was kept, in words. @param {{name: string, puzzles: number, replaced: boolean}} kept */
export function keptText({ name, puzzles, replaced }) {
  return `${puzzles} ${puzzles === 1 ? "puzzle" : "puzzles"} kept as “${name}”${replaced ? ", in place of the set of that name" : ""}`;
}
