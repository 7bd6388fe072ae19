/** Arrows and rings over a board: the engine's, and those a person draws with the right button. */

import { FILES } from "./chess.js";
import { s } from "./dom.js";

/** @typedef {"G"|"R"|"B"|"Y"} Colour of what a person draws, as PGN names it: green, red, blue, yellow */
/** @typedef {{from: string, to: string, type: "best"|"other"|"hint"|"drawn", strength?: number, colour?: Colour}} Arrow */

/** Arrows and rings with one more, in another colour, or without it. @param {Arrow[]} arrows @param {string} from @param {string} to @param {Colour} colour @returns {Arrow[]} */
export function toggled(arrows, from, to, colour) {
  const known = arrows.find((arrow) => arrow.from === from && arrow.to === to);
  const others = arrows.filter((arrow) => arrow !== known);
  return known?.colour === colour ? others : [...others, { from, to, type: "drawn", colour }];
}

export class Arrows {
  constructor() {
    this.flipped = false;
    /** @type {Arrow[]} */
    this.given = [];
    /** Those that the game's author drew. @type {Arrow[]} */
    this.noted = [];
    /** @type {Arrow[]} */
    this.drawn = [];
    this.element = s("svg", { class: "arrows", viewBox: "0 0 8 8", "aria-hidden": "true" });
  }

  /** @param {boolean} flipped */
  flip(flipped) {
    this.flipped = flipped;
    this.draw();
  }

  /** @param {Arrow[]} arrows */
  show(arrows) {
    this.given = arrows;
    this.draw();
  }

  /** @param {Arrow[]} arrows */
  note(arrows) {
    if (!arrows.length && !this.noted.length) return;
    this.noted = arrows;
    this.draw();
  }

  /** Adds what a person drew, or takes it away if it is there. @param {string} from @param {string} to @param {Colour} colour */
  toggle(from, to, colour) {
    this.drawn = toggled(this.drawn, from, to, colour);
    this.draw();
  }

  forget() {
    if (!this.drawn.length) return;
    this.drawn = [];
    this.draw();
  }

  draw() {
    this.element.replaceChildren(...[...this.given].reverse().concat(this.noted, this.drawn).map((arrow) => this.shape(arrow)));
  }

  /** The middle of a square in units of squares. @param {string} square */
  middle(square) {
    const file = FILES.indexOf(square[0]);
    const rank = Number(square[1]) - 1;
    return this.flipped ? { x: 7.5 - file, y: rank + 0.5 } : { x: file + 0.5, y: 7.5 - rank };
  }

  /** @param {Arrow} arrow */
  shape({ from, to, type, strength = 1, colour }) {
    const a = this.middle(from);
    const style = colour ? `${type} ${colour}` : type;
    if (from === to) return s("circle", { class: `ring ${style}`, cx: a.x, cy: a.y, r: 0.44 });
    const b = this.middle(to);
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    const along = { x: (b.x - a.x) / length, y: (b.y - a.y) / length };
    const half = 0.05 + 0.05 * strength;
    const head = 0.2 + 0.2 * strength;
    const at = (/** @type {number} */ far, /** @type {number} */ aside) =>
      `${(a.x + along.x * far - along.y * aside).toFixed(3)},${(a.y + along.y * far + along.x * aside).toFixed(3)}`;
    const neck = length - head;
    const points = [at(0.3, half), at(neck, half), at(neck, head * 0.55), at(length - 0.04, 0),
      at(neck, -head * 0.55), at(neck, -half), at(0.3, -half)];
    return s("polygon", { class: `arrow ${style}`, points: points.join(" "), "data-uci": from + to });
  }
}
