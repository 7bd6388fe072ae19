/** A board: squares accessible to screen readers, animated pieces, marks and arrows. Shows the scene it is given. */

import { Arrows } from "./arrows.js";
import { FILES, pieceName, piecesOf, reachOf, sideOf } from "./chess.js";
import { h } from "./dom.js";
import { BoardInput } from "./boardinput.js";

/**
 * @typedef {object} Scene
 * @property {string} fen
 * @property {string|null} [last] the move that led here, in UCI
 * @property {string|null} [check] the square of a king in check
 * @property {Record<string, string[]>} [legal]
 * @property {string[]} [promotions]
 * @property {"white"|"black"|"both"|null} [movable] whose pieces may be moved now
 * @property {"white"|"black"|null} [premover] whose pieces may make a premove
 * @property {string|null} [premove]
 */

/** @param {string} letter */
const pieceClass = (letter) => (letter === letter.toUpperCase() ? `w${letter}` : `b${letter.toUpperCase()}`);

export class Board {
  /**
   * @param {HTMLElement} host
   * @param {{label: string, onMove: (uci: string) => void, onAhead?: (move: string|null) => void, onSquare?: (square: string) => boolean,
   *   onOutside?: (square: string) => void, onDraw?: (from: string, to: string, colour: import("./arrows.js").Colour) => boolean}} options onSquare takes a
   *   press on a square, onDraw an arrow or a ring, and says whether that was all; onOutside takes a piece dropped beside the board
   */
  constructor(host, options) {
    this.options = options;
    this.flipped = false;
    /** @type {Scene} */
    this.scene = { fen: "8/8/8/8/8/8/8/8 w - - 0 1" };
    /** @type {string|null} */
    this.selected = null;
    /** @type {Map<string, {letter: string, element: HTMLElement}>} */
    this.pieces = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.squares = new Map();
    this.grid = h("div.squares", { role: "grid", "aria-label": options.label });
    this.layer = h("div.pieces", { "aria-hidden": "true" });
    this.worths = h("div.worths", { "aria-hidden": "true" });
    this.arrows = new Arrows();
    this.element = h("div.board", {}, this.grid, this.layer, this.worths, this.arrows.element);
    for (const rank of "87654321") for (const file of FILES) this.squares.set(file + rank, this.makeSquare(file + rank));
    host.append(this.element);
    this.arrange();
    this.input = new BoardInput(this);
  }

  /** @param {string} name */
  makeSquare(name) {
    const light = (FILES.indexOf(name[0]) + Number(name[1])) % 2 === 0;
    return h(`div.square.${light ? "light" : "dark"}`, { role: "gridcell", tabindex: "-1", "data-square": name });
  }

  /** Lays out the squares for the side at the bottom, and labels the edges. */
  arrange() {
    const ranks = this.flipped ? "12345678" : "87654321";
    const files = this.flipped ? [...FILES].reverse().join("") : FILES;
    const rows = [...ranks].map((rank) => {
      const cells = [...files].map((file) => {
        const cell = /** @type {HTMLElement} */ (this.squares.get(file + rank));
        cell.toggleAttribute("data-edge-rank", file === files[0]);
        cell.toggleAttribute("data-edge-file", rank === ranks[7]);
        cell.dataset.rank = rank;
        cell.dataset.file = file;
        return cell;
      });
      return h("div.row", { role: "row" }, ...cells);
    });
    this.grid.replaceChildren(...rows);
    if (!this.focusable) this.setFocusable(this.flipped ? "e7" : "e2");
    for (const [square, piece] of this.pieces) this.moveTo(piece.element, square);
    this.arrows.flip(this.flipped);
    this.showWorths(this.listed ?? []);
  }

  /** The one square that the Tab key reaches. @param {string} square */
  setFocusable(square) {
    if (this.focusable) this.squares.get(this.focusable)?.setAttribute("tabindex", "-1");
    this.focusable = square;
    this.squares.get(square)?.setAttribute("tabindex", "0");
  }

  /** @param {boolean} flipped */
  flip(flipped) {
    if (this.flipped === flipped) return;
    this.flipped = flipped;
    this.arrange();
  }

  /** Column and row of a square on the screen, 0 to 7 from the top left. @param {string} square */
  screenPosition(square) {
    const file = FILES.indexOf(square[0]);
    const rank = Number(square[1]) - 1;
    return this.flipped ? { x: 7 - file, y: rank } : { x: file, y: 7 - rank };
  }

  /** @param {HTMLElement} element @param {string} square */
  moveTo(element, square) {
    const { x, y } = this.screenPosition(square);
    element.style.transform = `translate(${x * 100}%, ${y * 100}%)`;
  }

  /** Shows a scene; pieces that moved are animated. @param {Scene} scene */
  show(scene) {
    const held = this.selected && this.pieces.get(this.selected)?.letter;
    this.scene = scene;
    this.setPieces(piecesOf(scene.fen));
    // A piece that was picked up while the engine was thinking stays selected when its move arrives.
    const stays = this.selected && this.pieces.get(this.selected)?.letter === held && this.canSelect(this.selected);
    if (!stays) this.selected = null;
    if (!stays) this.input.cancelDrag();
    this.mark();
  }

  /** Moves the pieces to their new squares, as few as possible. @param {Map<string, string>} target */
  setPieces(target) {
    const leftover = [];
    for (const [square, piece] of this.pieces) {
      if (target.get(square) === piece.letter) continue;
      leftover.push({ square, piece });
      this.pieces.delete(square);
    }
    for (const [square, letter] of target) {
      if (this.pieces.has(square)) continue;
      const near = nearest(square, leftover.filter(({ piece }) => piece.letter === letter));
      if (near) leftover.splice(leftover.indexOf(near), 1);
      const element = near?.piece.element ?? h(`div.piece.${pieceClass(letter)}`);
      if (!near) this.layer.append(element);
      this.pieces.set(square, { letter, element });
      this.moveTo(element, square);
    }
    for (const { piece } of leftover) piece.element.remove();
  }

  /** Puts classes and labels on all squares. */
  mark() {
    const { scene } = this;
    const targets = this.selected ? this.targetsOf(this.selected) : [];
    for (const [name, cell] of this.squares) {
      const piece = this.pieces.get(name);
      const target = targets.includes(name);
      cell.classList.toggle("last", Boolean(scene.last) && (scene.last ?? "").slice(0, 4).includes(name));
      cell.classList.toggle("check", scene.check === name);
      cell.classList.toggle("selected", this.selected === name);
      cell.classList.toggle("target", target);
      cell.classList.toggle("occupied", Boolean(piece));
      cell.classList.toggle("movable", this.canSelect(name));
      cell.classList.toggle("premove", Boolean(scene.premove) && (scene.premove ?? "").slice(0, 4).includes(name));
      cell.setAttribute("aria-selected", String(this.selected === name));
      cell.setAttribute("aria-label", label(name, piece?.letter, target, scene.check === name));
    }
  }

  /** @param {string} square */
  canSelect(square) {
    const letter = this.pieces.get(square)?.letter;
    if (!letter) return false;
    const { movable, premover } = this.scene;
    return movable === "both" ? square in (this.scene.legal ?? {}) : [movable, premover].includes(sideOf(letter));
  }

  /** @param {string} square */
  targetsOf(square) {
    const letter = this.pieces.get(square)?.letter;
    if (!letter || !this.canSelect(square)) return [];
    return this.scene.premover === sideOf(letter) ? reachOf(square, letter) : this.scene.legal?.[square] ?? [];
  }

  /** @param {string|null} square */
  select(square) {
    this.selected = square;
    this.mark();
  }

  /**
   * Handles a click or Enter on a square: move the selected piece there, select another one, or deselect.
   * @param {string} square
   */
  choose(square) {
    if (this.options.onSquare?.(square)) return;
    if (this.selected && this.targetsOf(this.selected).includes(square)) this.move(this.selected, square);
    else if (square !== this.selected && this.canSelect(square)) this.select(square);
    else this.deselect();
  }

  deselect() {
    this.select(null);
    if (this.scene.premove) this.options.onPremove?.(null);
  }

  /** Makes an allowed move, asking for the promotion piece if there is one. @param {string} from @param {string} to */
  async move(from, to) {
    const letter = this.pieces.get(from)?.letter ?? "";
    this.select(null);
    if (this.scene.premover === sideOf(letter)) {
      this.options.onPremove?.(from + to);
      return;
    }
    let promoted = "";
    if (this.scene.promotions?.includes(from + to)) {
      const { fen } = this.scene;
      const { askPromotion } = await import("./promotion.js");
      promoted = await askPromotion(this, to, sideOf(letter));
      if (!promoted || this.scene.fen !== fen) return;
    }
    this.previewMove(from, to);
    this.options.onMove(from + to + promoted);
  }

  /** Shows the piece on its new square before the server has answered. @param {string} from @param {string} to */
  previewMove(from, to) {
    const piece = this.pieces.get(from);
    const there = this.pieces.get(to);
    if (!piece || (there && sideOf(there.letter) === sideOf(piece.letter))) return;
    there?.element.remove();
    this.pieces.delete(from);
    this.pieces.set(to, piece);
    this.moveTo(piece.element, to);
    this.scene = { ...this.scene, legal: {}, movable: null, last: from + to };
    this.mark();
  }

  /** Shows the last scene again after a move was refused. */
  restore() {
    this.setPieces(piecesOf(this.scene.fen));
    this.mark();
  }

  /** @param {{square: string, text: string, good: boolean}[]} worths */
  showWorths(worths) {
    this.listed = worths;
    this.worths.replaceChildren(...worths.map(({ square, text, good }) => {
      const chip = h(`span.worth.${good ? "for-white" : "for-black"}`, {}, h("span", {}, text));
      this.moveTo(chip, square);
      return chip;
    }));
  }
}

/**
 * @param {string} square
 * @param {{square: string, piece: {letter: string, element: HTMLElement}}[]} pieces
 */
function nearest(square, pieces) {
  const far = (/** @type {string} */ other) =>
    Math.hypot(square.charCodeAt(0) - other.charCodeAt(0), Number(square[1]) - Number(other[1]));
  return pieces.reduce((best, piece) => (!best || far(piece.square) < far(best.square) ? piece : best), pieces[0]);
}

/** @param {string} square @param {string|undefined} letter @param {boolean} target @param {boolean} check */
function label(square, letter, target, check) {
  const parts = [square, letter ? pieceName(letter) : "empty"];
  if (check) parts.push("in check");
  if (target) parts.push("can go here");
  return parts.join(", ");
}
