/** A board: squares that a screen reader can walk, men that glide, marks, arrows. What it is told, it shows. */

import { Arrows } from "./arrows.js";
import { FILES, manName, menOf, reachOf, sideOf } from "./chess.js";
import { h } from "./dom.js";
import { Hands } from "./hands.js";
import { askPromotion } from "./promotion.js";

/**
 * @typedef {object} Scene
 * @property {string} fen
 * @property {string|null} [last] the move that led here, in UCI
 * @property {string|null} [check] the square of a king in check
 * @property {Record<string, string[]>} [legal]
 * @property {string[]} [promotions]
 * @property {"white"|"black"|"both"|null} [movable] whose men may be moved now
 * @property {"white"|"black"|null} [ahead] whose men may be moved ahead of their turn
 * @property {string|null} [premove]
 */

/** @param {string} letter */
const manClass = (letter) => (letter === letter.toUpperCase() ? `w${letter}` : `b${letter.toUpperCase()}`);

export class Board {
  /**
   * @param {HTMLElement} host
   * @param {{label: string, onMove: (uci: string) => void, onAhead?: (move: string|null) => void}} options
   */
  constructor(host, options) {
    this.options = options;
    this.flipped = false;
    /** @type {Scene} */
    this.scene = { fen: "8/8/8/8/8/8/8/8 w - - 0 1" };
    /** @type {string|null} */
    this.picked = null;
    /** @type {Map<string, {letter: string, element: HTMLElement}>} */
    this.men = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.squares = new Map();
    this.grid = h("div.squares", { role: "grid", "aria-label": options.label });
    this.layer = h("div.men", { "aria-hidden": "true" });
    this.worths = h("div.worths", { "aria-hidden": "true" });
    this.arrows = new Arrows();
    this.element = h("div.board", {}, this.grid, this.layer, this.worths, this.arrows.element);
    for (const rank of "87654321") for (const file of FILES) this.squares.set(file + rank, this.makeSquare(file + rank));
    host.append(this.element);
    this.arrange();
    this.hands = new Hands(this);
  }

  /** @param {string} name */
  makeSquare(name) {
    const light = (FILES.indexOf(name[0]) + Number(name[1])) % 2 === 0;
    return h(`div.square.${light ? "light" : "dark"}`, { role: "gridcell", tabindex: "-1", "data-square": name });
  }

  /** Lays the squares out for the side that looks at them, and labels the edges. */
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
    for (const [square, man] of this.men) this.place(man.element, square);
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

  /** Column and row of a square as it is seen, 0 to 7 from the top left. @param {string} square */
  spotOf(square) {
    const file = FILES.indexOf(square[0]);
    const rank = Number(square[1]) - 1;
    return this.flipped ? { x: 7 - file, y: rank } : { x: file, y: 7 - rank };
  }

  /** @param {HTMLElement} element @param {string} square */
  place(element, square) {
    const { x, y } = this.spotOf(square);
    element.style.transform = `translate(${x * 100}%, ${y * 100}%)`;
  }

  /** Shows a scene; men that moved glide to their squares. @param {Scene} scene */
  show(scene) {
    const held = this.picked && this.men.get(this.picked)?.letter;
    this.scene = scene;
    this.settle(menOf(scene.fen));
    // A man that was picked up while the other side thought stays in the hand when the answer comes.
    const stays = this.picked && this.men.get(this.picked)?.letter === held && this.canPick(this.picked);
    if (!stays) this.picked = null;
    if (!stays) this.hands.cancelDrag();
    this.mark();
  }

  /** Brings the men to where they should stand, moving as few as possible. @param {Map<string, string>} wanted */
  settle(wanted) {
    const leftover = [];
    for (const [square, man] of this.men) {
      if (wanted.get(square) === man.letter) continue;
      leftover.push({ square, man });
      this.men.delete(square);
    }
    for (const [square, letter] of wanted) {
      if (this.men.has(square)) continue;
      const near = nearest(square, leftover.filter(({ man }) => man.letter === letter));
      if (near) leftover.splice(leftover.indexOf(near), 1);
      const element = near?.man.element ?? h(`div.man.${manClass(letter)}`);
      if (!near) this.layer.append(element);
      this.men.set(square, { letter, element });
      this.place(element, square);
    }
    for (const { man } of leftover) man.element.remove();
  }

  /** Puts classes and labels on all squares. */
  mark() {
    const { scene } = this;
    const targets = this.picked ? this.targetsOf(this.picked) : [];
    for (const [name, cell] of this.squares) {
      const man = this.men.get(name);
      const target = targets.includes(name);
      cell.classList.toggle("last", Boolean(scene.last) && (scene.last ?? "").slice(0, 4).includes(name));
      cell.classList.toggle("check", scene.check === name);
      cell.classList.toggle("picked", this.picked === name);
      cell.classList.toggle("target", target);
      cell.classList.toggle("occupied", Boolean(man));
      cell.classList.toggle("movable", this.canPick(name));
      cell.classList.toggle("premove", Boolean(scene.premove) && (scene.premove ?? "").slice(0, 4).includes(name));
      cell.setAttribute("aria-selected", String(this.picked === name));
      cell.setAttribute("aria-label", label(name, man?.letter, target, scene.check === name));
    }
  }

  /** @param {string} square */
  canPick(square) {
    const letter = this.men.get(square)?.letter;
    if (!letter) return false;
    const { movable, ahead } = this.scene;
    return movable === "both" ? square in (this.scene.legal ?? {}) : [movable, ahead].includes(sideOf(letter));
  }

  /** @param {string} square */
  targetsOf(square) {
    const letter = this.men.get(square)?.letter;
    if (!letter || !this.canPick(square)) return [];
    return this.scene.ahead === sideOf(letter) ? reachOf(square, letter) : this.scene.legal?.[square] ?? [];
  }

  /** @param {string|null} square */
  pick(square) {
    this.picked = square;
    this.mark();
  }

  /**
   * What a click or Enter on a square means: drop the picked man there, pick another, or let go.
   * @param {string} square
   */
  choose(square) {
    if (this.picked && this.targetsOf(this.picked).includes(square)) this.move(this.picked, square);
    else if (square !== this.picked && this.canPick(square)) this.pick(square);
    else this.letGo();
  }

  letGo() {
    this.pick(null);
    if (this.scene.premove) this.options.onAhead?.(null);
  }

  /** Makes a move that is allowed, asking for the promotion where there is one. @param {string} from @param {string} to */
  async move(from, to) {
    const letter = this.men.get(from)?.letter ?? "";
    this.pick(null);
    if (this.scene.ahead === sideOf(letter)) {
      this.options.onAhead?.(from + to);
      return;
    }
    let promoted = "";
    if (this.scene.promotions?.includes(from + to)) {
      const { fen } = this.scene;
      promoted = await askPromotion(this, to, sideOf(letter));
      if (!promoted || this.scene.fen !== fen) return;
    }
    this.lift(from, to);
    this.options.onMove(from + to + promoted);
  }

  /** Shows the man on its new square before the server has answered. @param {string} from @param {string} to */
  lift(from, to) {
    const man = this.men.get(from);
    const there = this.men.get(to);
    if (!man || (there && sideOf(there.letter) === sideOf(man.letter))) return;
    there?.element.remove();
    this.men.delete(from);
    this.men.set(to, man);
    this.place(man.element, to);
    this.scene = { ...this.scene, legal: {}, movable: null, last: from + to };
    this.mark();
  }

  /** Goes back to the scene that was shown last, after a move was refused. */
  restore() {
    this.settle(menOf(this.scene.fen));
    this.mark();
  }

  /** @param {{square: string, text: string, good: boolean}[]} worths */
  showWorths(worths) {
    this.listed = worths;
    this.worths.replaceChildren(...worths.map(({ square, text, good }) => {
      const chip = h(`span.worth.${good ? "for-white" : "for-black"}`, {}, h("span", {}, text));
      this.place(chip, square);
      return chip;
    }));
  }
}

/**
 * @param {string} square
 * @param {{square: string, man: {letter: string, element: HTMLElement}}[]} men
 */
function nearest(square, men) {
  const far = (/** @type {string} */ other) =>
    Math.hypot(square.charCodeAt(0) - other.charCodeAt(0), Number(square[1]) - Number(other[1]));
  return men.reduce((best, man) => (!best || far(man.square) < far(best.square) ? man : best), men[0]);
}

/** @param {string} square @param {string|undefined} letter @param {boolean} target @param {boolean} check */
function label(square, letter, target, check) {
  const parts = [square, letter ? manName(letter) : "empty"];
  if (check) parts.push("in check");
  if (target) parts.push("can go here");
  return parts.join(", ");
}
