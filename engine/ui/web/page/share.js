/** Sharing: a link that carries the position or the game in its fragment, and a picture of the board. */

import { FILES, piecesOf } from "./chess.js";
import { byId, copy, download, h, toast } from "./dom.js";

const LONGEST = 30000; // characters of a link
const LARGEST = 1 << 20; // characters of a game in a link
const SIDE = 45; // units of a square in the picture
const PIXELS = 1080; // of a PNG picture
const COLOURS = { light: "#ebe6d3", dark: "#7b9a80", last: "#e8c93c" };

/** @param {Uint8Array} bytes */
const toText = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
/** @param {string} text */
const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));

/** @param {string} text @returns {Promise<string>} */
async function pack(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return toText(new Uint8Array(await new Response(stream).arrayBuffer()));
}

/** Unpacks a text, and stops where it becomes too large. @param {string} packed @returns {Promise<string>} */
async function unpack(packed) {
  const reader = new Blob([toBytes(packed)]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
    if (text.length > LARGEST) throw new Error("too large");
  }
  return text;
}

/** The fragment of a link to a position or a game. @param {{fen: string}|{pgn: string, steps: number[]}} what */
export async function fragmentOf(what) {
  if ("fen" in what) return `fen=${what.fen.replace(/ /g, "_")}`;
  return `pgn=${await pack(what.pgn)}${what.steps.length ? `&at=${what.steps.join(".")}` : ""}`;
}

/** What a fragment carries; null if it is not a link to a position or a game. An Error says that it is damaged. @param {string} fragment */
export async function readFragment(fragment) {
  const fields = new URLSearchParams(fragment);
  const [fen, packed] = [fields.get("fen"), fields.get("pgn")];
  if (fen) return { text: fen.replace(/_/g, " "), steps: [] };
  if (!packed) return null;
  try {
    return { text: await unpack(packed), steps: (fields.get("at") ?? "").split(".").filter(Boolean).map(Number) };
  } catch {
    throw new Error("The link is damaged: no game can be read from it.");
  }
}

/** @param {string} letter */
const pieceFile = (letter) => `${letter === letter.toUpperCase() ? "w" : "b"}${letter.toUpperCase()}`;

/** The drawing of a piece, which the picture refers to by its name. @param {string} file */
async function drawingOf(file) {
  const text = await (await fetch(`/pieces/${file}.svg`)).text();
  return `<symbol id="${file}" viewBox="0 0 45 45">${text.slice(text.indexOf(">") + 1, text.lastIndexOf("</svg>"))}</symbol>`;
}

/** An arrow or ring of the board. @param {Element} shape */
function shapeText(shape) {
  const { fill, stroke } = getComputedStyle(shape);
  const value = (/** @type {string} */ name) => shape.getAttribute(name);
  if (shape.tagName !== "circle") return `<polygon points="${value("points")}" fill="${fill}" opacity="0.7"/>`;
  return `<circle cx="${value("cx")}" cy="${value("cy")}" r="${value("r")}" fill="none" stroke="${stroke}" stroke-width="0.07" opacity="0.8"/>`;
}

/**
 * A picture of a board as SVG that needs no other file. It is written as text: the pieces have styles of their own, which the
 * page's policy does not allow among its elements.
 * @param {import("./board.js").Board} board @returns {Promise<string>}
 */
export async function pictureOf(board) {
  const pieces = piecesOf(board.scene.fen);
  const drawings = await Promise.all([...new Set([...pieces.values()].map(pieceFile))].map(drawingOf));
  const last = (board.scene.last ?? "").slice(0, 4);
  const squares = [...board.squares.keys()].map((square) => {
    const { x, y } = board.screenPosition(square);
    const box = `x="${x * SIDE}" y="${y * SIDE}" width="${SIDE}" height="${SIDE}"`;
    const light = (FILES.indexOf(square[0]) + Number(square[1])) % 2 === 0;
    const mark = last.includes(square) ? `<rect ${box} fill="${COLOURS.last}" fill-opacity="0.5"/>` : "";
    const letter = pieces.get(square);
    return `<rect ${box} fill="${light ? COLOURS.light : COLOURS.dark}"/>${mark}${letter ? `<use href="#${pieceFile(letter)}" ${box}/>` : ""}`;
  });
  const arrows = [...board.arrows.element.children].map(shapeText).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 ${8 * SIDE} ${8 * SIDE}" width="${8 * SIDE}" height="${8 * SIDE}">`
    + `<defs>${drawings.join("")}</defs>${squares.join("")}<g transform="scale(${SIDE})">${arrows}</g></svg>`;
}

/** @param {string} svg @returns {Promise<Blob>} */
async function toPng(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [PIXELS, PIXELS];
  canvas.getContext("2d")?.drawImage(image, 0, 0, PIXELS, PIXELS);
  return new Promise((resolve, reject) => { canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser cannot draw the picture."))), "image/png"); });
}

export class Share {
  /** @param {{board: import("./board.js").Board, study: import("./study.js").Study}} options */
  constructor({ board, study }) {
    this.board = board;
    this.study = study;
    this.dialog = byId("share-dialog");
    this.whole = h("input", { type: "radio", name: "share", value: "game", onchange: () => this.show() });
    this.link = h("input", { type: "text", id: "share-link", readonly: true, "aria-label": "Link" });
    this.copy = h("button", { type: "button", onclick: () => copy(this.link.value, "Link") }, "Copy");
    this.note = h("p.faint");
    this.picture = h("img.share-picture", { id: "share-picture", alt: "The position as a picture" });
    this.build();
  }

  build() {
    const position = h("input", { type: "radio", name: "share", value: "position", checked: true, onchange: () => this.show() });
    const choice = h("fieldset.choice", {}, h("legend", {}, "The link carries"),
      h("label", {}, position, h("span", {}, "This position")), h("label", {}, this.whole, h("span", {}, "The whole game")));
    const actions = h("div.actions", {},
      h("button", { type: "button", id: "share-png", onclick: () => this.savePng() }, "Save PNG"),
      h("button", { type: "button", id: "share-svg", onclick: async () => download(await pictureOf(this.board), "position.svg", "image/svg+xml") }, "Save SVG"),
      h("button.primary", { type: "submit" }, "Close"));
    this.dialog.replaceChildren(h("form", { method: "dialog" }, h("h2", {}, "Share"), choice, h("div.typed", {}, this.link, this.copy), this.note, this.picture, actions));
  }

  async savePng() {
    try {
      download(await toPng(await pictureOf(this.board)), "position.png", "image/png");
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "error");
    }
  }

  async open() {
    this.dialog.showModal();
    await this.show();
  }

  async show() {
    const { record, node } = this.study;
    const fragment = await fragmentOf(this.whole.checked ? { pgn: this.study.pgn(), steps: record.steps(node) } : { fen: node.fen });
    const fits = fragment.length < LONGEST;
    this.link.value = fits ? `${location.origin}${location.pathname}#${fragment}` : "";
    this.copy.disabled = !fits;
    this.note.textContent = fits ? "Anyone who opens the link on this board sees the same position." : "The game is too long for a link. Save it as a PGN file instead.";
    this.picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await pictureOf(this.board))}`;
  }
}
