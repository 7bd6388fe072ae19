/** A game as a tree of moves; the first child of each node continues the main line. */

import { numberOf, START, turnOf } from "./chess.js";

/**
 * @typedef {object} Node
 * @property {string} fen the position after the move
 * @property {Node|null} parent
 * @property {Node[]} children
 * @property {string} [san]
 * @property {string} [uci]
 * @property {string} [mark] "?", "!" ...
 * @property {import("./chess.js").Score} [score]
 * @property {string|null} [reason]
 * @property {string|null} [better]
 * @property {string} [comment]
 * @property {{code: string, name: string}|null} [opening]
 * @property {import("./chess.js").Position} [position]
 */

/** @typedef {{san: string, uci: string, fen: string, [field: string]: any}} Move */

const NAGS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□" };

/**
 * Separates the text of a PGN comment from the commands in it, of which only the evaluation is read.
 * @param {string} comment
 * @returns {{text: string, score: import("./chess.js").Score|undefined}}
 */
function readComment(comment) {
  const text = comment.replace(/\[%[^\]]*\]/g, "").trim();
  const found = /\[%eval (#?)([+-]?[\d.]+)/.exec(comment);
  if (!found) return { text, score: undefined };
  const value = Number(found[2]);
  return { text, score: found[1] ? { mate: value } : { cp: Math.round(value * 100) } };
}

export class Record {
  /**
   * @param {{start?: string|null, chess960?: boolean, moves?: Move[], headers?: Record<string, string>, result?: string}} game
   */
  constructor({ start = null, chess960 = false, moves = [], headers = {}, result = "*" } = {}) {
    this.start = start;
    this.chess960 = chess960;
    this.headers = headers;
    this.result = result;
    /** @type {Node} */
    this.root = { fen: start ?? START, parent: null, children: [] };
    let node = this.root;
    for (const move of moves) node = this.add(node, move);
  }

  /** Adds a move after a node, or finds it there. @param {Node} parent @param {Move} move @returns {Node} */
  add(parent, { san, uci, fen, opening, comment, nags, mark, reason, better, cp, mate }) {
    const known = parent.children.find((child) => child.uci === uci || child.san === san);
    if (known) return known;
    const said = readComment(comment ?? "");
    const node = { san, uci, fen, opening, comment: said.text, score: said.score, reason, better, parent, children: [] };
    node.mark = mark || (nags ?? []).map((/** @type {number} */ nag) => NAGS[nag] ?? "").join("");
    if (cp !== undefined && cp !== null) node.score = { cp };
    if (mate !== undefined && mate !== null) node.score = { mate };
    parent.children.push(node);
    return node;
  }

  /** The nodes from the root to this one, without the root. @param {Node} node @returns {Node[]} */
  path(node) {
    const nodes = [];
    for (let at = node; at.parent; at = at.parent) nodes.unshift(at);
    return nodes;
  }

  /** The main line. @returns {Node[]} */
  main() {
    return this.path(this.end(this.root));
  }

  /** The last node of the line that follows the first children. @param {Node} node */
  end(node) {
    let at = node;
    while (at.children.length) at = at.children[0];
    return at;
  }

  /** The fields that name a position in a request. @param {Node} node */
  positionFields(node) {
    return { start: this.start, chess960: this.chess960, moves: this.path(node).map(({ uci }) => uci) };
  }

  /** The last opening name on the path to a node. @param {Node} node */
  openingAt(node) {
    for (let at = node; at; at = /** @type {Node} */ (at.parent)) if (at.opening) return at.opening;
    return null;
  }

  /** The game in PGN, with its variations. */
  pgn() {
    const headers = { Event: "Analysis", Site: "?", Date: "????.??.??", Round: "?", White: "?", Black: "?", ...this.headers, Result: this.result };
    if (this.chess960) headers.Variant = "Chess960";
    if (this.start && this.start !== START) Object.assign(headers, { SetUp: "1", FEN: this.start });
    const tags = Object.entries(headers).map(([name, value]) => `[${name} "${String(value).replace(/["\\]/g, "\\$&")}"]`);
    return `${tags.join("\n")}\n\n${[...this.words(this.root, true), this.result].join(" ")}\n`;
  }

  /**
   * The moves after a node as words of PGN.
   * @param {Node} from
   * @param {boolean} numbered whether Black's move needs its number
   * @returns {string[]}
   */
  words(from, numbered) {
    const words = [];
    let node = from;
    let fresh = numbered;
    while (node.children.length) {
      const [first, ...others] = node.children;
      words.push(...this.word(first, node, fresh));
      fresh = Boolean(first.comment) || others.length > 0;
      for (const other of others) {
        const inside = [...this.word(other, node, true), ...this.words(other, false)];
        words.push(`(${inside.join(" ")})`);
      }
      node = first;
    }
    return words;
  }

  /** @param {Node} node @param {Node} before @param {boolean} numbered @returns {string[]} */
  word(node, before, numbered) {
    const number = numbered || turnOf(before.fen) === "white" ? [numberOf(before.fen)] : [];
    const comment = node.comment ? [`{${node.comment.replace(/[{}]/g, "")}}`] : [];
    return [...number, `${node.san}${node.mark ?? ""}`, ...comment];
  }
}
