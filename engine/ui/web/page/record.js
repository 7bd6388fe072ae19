/** A game as a tree of moves; the first child of each node continues the main line. */

import { START } from "./chess.js";
import { Position } from "./rules.js";

/**
 * @typedef {object} Node
 * @property {string} fen the position after the move
 * @property {Node|null} parent
 * @property {Node[]} children
 * @property {string} [san]
 * @property {string} [uci]
 * @property {string} [mark] "?", "!" ...
 * @property {number[]} [nags] the numbers of other glyphs, such as $10
 * @property {string} [lead] the comment before the move
 * @property {string} [comment] the comment after it
 * @property {string[]} [commands] what programs read in the comment: "[%clk 0:01:00]"
 * @property {import("./chess.js").Score} [score]
 * @property {{code: string, name: string}|null} [opening]
 * @property {Position} [rules]
 * @property {import("./chess.js").Position} [position]
 */

/** @typedef {{san: string, uci: string, fen: string, [field: string]: any}} Move */

const NULL_MOVE = "--";
const DRAWS = { dead: "neither side can mate", fifty: "fifty moves without a capture or a pawn move", again: "threefold repetition" };

export class GameRecord {
  /**
   * @param {{start?: string|null, chess960?: boolean, moves?: Move[], headers?: Record<string, string>, result?: string}} game
   */
  constructor({ start = null, chess960 = false, moves = [], headers = {}, result = "*" } = {}) {
    this.start = start;
    this.chess960 = chess960;
    this.headers = headers;
    this.result = result;
    /** Counts the changes, so that a view knows when to draw the tree again. */
    this.version = 0;
    /** @type {Node} */
    this.root = { fen: start ?? START, parent: null, children: [] };
    let node = this.root;
    for (const move of moves) node = this.add(node, move);
  }

  /** Adds a move after a node, or finds it there. @param {Node} parent @param {Move} move @returns {Node} */
  add(parent, { san, uci, fen, opening, commands }) {
    const known = parent.children.find((child) => child.uci === uci || child.san === san);
    if (known) return known;
    const node = { san, uci, fen, opening, commands, parent, children: [] };
    parent.children.push(node);
    this.version += 1;
    return node;
  }

  /** The position at a node. @param {Node} node @returns {Position} */
  rulesAt(node) {
    node.rules ??= Position.fromFen(node.fen, this.chess960);
    return node.rules;
  }

  /** Plays a legal move in UCI after a node; null if it is not legal. @param {Node} node @param {string} uci @returns {Node|null} */
  play(node, uci) {
    const here = this.rulesAt(node);
    const move = here.fromUci(uci);
    return move && !this.positionAt(node).over ? this.extend(node, move) : null;
  }

  /** Adds a legal move, null to pass. @param {Node} node @param {import("./rules.js").Move|null} move */
  extend(node, move) {
    const here = this.rulesAt(node);
    const rules = here.after(move);
    const child = this.add(node, { san: move ? here.san(move) : NULL_MOVE, uci: move ? here.uci(move) : "0000", fen: rules.fen() });
    child.rules ??= rules;
    return child;
  }

  /** Legal moves, check and result at a node. @param {Node} node @returns {import("./chess.js").Position} */
  positionAt(node) {
    if (node.position) return node.position;
    const rules = this.rulesAt(node);
    const moves = rules.moves();
    const turn = rules.turn ? "black" : "white";
    const check = rules.check() ? kingOf(rules) : null;
    /** @type {import("./chess.js").Position} */
    const position = { fen: node.fen, turn, legal: {}, san: {}, promotions: [], check, over: this.outcome(node, moves.length > 0) };
    for (const move of position.over ? [] : moves) {
      const san = rules.san(move, moves);
      for (const uci of namesOf(rules, move)) {
        position.san[uci] = san;
        const targets = (position.legal[uci.slice(0, 2)] ??= []);
        if (!targets.includes(uci.slice(2, 4))) targets.push(uci.slice(2, 4));
        if (uci.length > 4 && !position.promotions.includes(uci.slice(0, 4))) position.promotions.push(uci.slice(0, 4));
      }
    }
    node.position = position;
    return position;
  }

  /** @param {Node} node @param {boolean} canMove */
  outcome(node, canMove) {
    const rules = this.rulesAt(node);
    if (!canMove && rules.check()) return { result: rules.turn ? "1-0" : "0-1", reason: "checkmate" };
    if (!canMove) return { result: "1/2-1/2", reason: "stalemate" };
    const reason = rules.isDead() ? DRAWS.dead : rules.half >= 100 ? DRAWS.fifty : this.repeats(node) ? DRAWS.again : "";
    return reason ? { result: "1/2-1/2", reason: `draw: ${reason}` } : null;
  }

  /** Whether the position stands for the third time. @param {Node} node */
  repeats(node) {
    const key = this.rulesAt(node).key();
    let count = 0;
    for (let at = /** @type {Node|null} */ (node); at; at = at.parent) {
      if (this.rulesAt(at).key() === key) count += 1;
      if (this.rulesAt(at).half === 0) break;
    }
    return count >= 3;
  }

  /** The nodes from the root to this one, without the root. @param {Node} node @returns {Node[]} */
  path(node) {
    const nodes = [];
    for (let at = node; at.parent; at = at.parent) nodes.push(at);
    return nodes.reverse();
  }

  /** The way to a node as the numbers of children. @param {Node} node */
  steps(node) {
    return this.path(node).map((at) => /** @type {Node} */ (at.parent).children.indexOf(at));
  }

  /** The node at the end of a way, or as far as there is one. @param {number[]} steps */
  nodeAt(steps) {
    let node = this.root;
    for (const step of steps) {
      if (!node.children[step]) return node;
      node = node.children[step];
    }
    return node;
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

  /** The first node of the variation that a node belongs to; null in the main line. @param {Node} node */
  branch(node) {
    for (let at = node; at.parent; at = at.parent) if (at.parent.children[0] !== at) return at;
    return null;
  }

  /** Moves the variation of a node one place up; its moves become the main line if it was the first. @param {Node} node */
  promote(node) {
    const branch = this.branch(node);
    if (!branch) return;
    const { children } = /** @type {Node} */ (branch.parent);
    const at = children.indexOf(branch);
    [children[at - 1], children[at]] = [branch, children[at - 1]];
    this.version += 1;
  }

  /** Makes the moves to a node the main line. @param {Node} node */
  makeMain(node) {
    while (this.branch(node)) this.promote(node);
  }

  /** Removes a move and all that follows it; returns the node before. @param {Node} node */
  remove(node) {
    const parent = /** @type {Node} */ (node.parent);
    parent.children.splice(parent.children.indexOf(node), 1);
    this.version += 1;
    return parent;
  }

  /** The fields that name a position in a request. @param {Node} node */
  positionFields(node) {
    const path = this.path(node);
    // The server knows no null moves: after one, the position is named by its FEN alone.
    if (path.some(({ san }) => san === NULL_MOVE)) return { start: node.fen, chess960: this.chess960, moves: [] };
    return { start: this.start, chess960: this.chess960, moves: path.map(({ uci }) => uci) };
  }

  /** The last opening name on the path to a node. @param {Node} node */
  openingAt(node) {
    for (let at = node; at; at = /** @type {Node} */ (at.parent)) if (at.opening) return at.opening;
    return null;
  }
}

/** The square of the king of the side to move. @param {Position} rules */
function kingOf(rules) {
  const square = rules.kings[rules.turn >> 3];
  return "abcdefgh"[square & 7] + ((square >> 4) + 1);
}

/** A move in UCI, and a castling move both ways. @param {Position} rules @param {import("./rules.js").Move} move */
function namesOf(rules, move) {
  const uci = rules.uci(move);
  if (move.castle < 0 || !rules.chess960) return [uci];
  return [...new Set([uci, `${uci.slice(0, 2)}${move.castle % 2 ? "c" : "g"}${uci[1]}`])].filter((name) => name.slice(0, 2) !== name.slice(2));
}
