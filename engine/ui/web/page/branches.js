/** A small search tree, drawn from left to right, with the windows and cutoffs of alpha-beta. */

import { pawns } from "./chess.js";
import { s } from "./dom.js";

/**
 * @typedef {object} Branch
 * @property {number} id
 * @property {number|null} parent
 * @property {string|null} san
 * @property {number|null} alpha
 * @property {number|null} beta
 * @property {number|null} value
 * @property {boolean} cut
 * @property {boolean} skipped
 * @property {number} order
 * @property {number} [left_out]
 */
/** @typedef {Branch & {children: Branch[], depth: number, turn: "white"|"black"}} Knot */

const WIDTH = 176;
const COLUMN = 226;
const HEIGHT = 38;
const ROW = 45;
const SHOWN = [6, 4, 3]; // children of a node that are shown at first, by its depth
const OPENED = [1, 3, 2]; // how many nodes of a depth among siblings are open at first

/** @param {number|null} cp @param {string} open */
const limit = (cp, open) => (cp === null || cp === undefined ? open : pawns(cp));

export class Branches {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    this.drawn = false;
    /** @type {any} */
    this.root = null;
  }

  clear() {
    this.drawn = false;
    this.root = null;
    this.host.replaceChildren();
  }

  /** @param {Branch[]} nodes @param {"white"|"black"} turn */
  show(nodes, turn) {
    const knots = new Map(nodes.map((node) => [node.id, { ...node, children: [], depth: 0, turn, open: false, all: false }]));
    for (const knot of [...knots.values()].sort((a, b) => a.order - b.order)) {
      const parent = knot.parent === null ? null : knots.get(knot.parent);
      if (parent) parent.children.push(/** @type {never} */ (knot));
      else this.root = knot;
    }
    this.grow(this.root, 0, 0, turn, true);
    this.drawn = true;
    this.draw();
    this.host.scrollTo(0, 0);
  }

  /** Gives each knot its depth, its side and whether it is open. @param {any} knot @param {number} depth @param {number} index @param {string} turn @param {boolean} seen */
  grow(knot, depth, index, turn, seen) {
    Object.assign(knot, { depth, turn, open: seen && index < (OPENED[depth] ?? 0) });
    const after = turn === "white" ? "black" : "white";
    knot.children.forEach((/** @type {any} */ child, /** @type {number} */ at) => this.grow(child, depth + 1, at, after, knot.open));
    const searched = knot.children.filter((/** @type {any} */ child) => !child.skipped && child.value !== null);
    const best = searched.find((/** @type {any} */ child) => child.value === knot.value);
    if (best) best.best = true;
    knot.leftOut = (knot.left_out ?? 0) + knot.children.filter((/** @type {any} */ child) => child.skipped).length;
  }

  draw() {
    this.rows = 0;
    /** @type {any[]} */
    this.links = [];
    /** @type {any[]} */
    this.boxes = [];
    this.lay(this.root, true);
    const depth = Math.max(...this.boxes.map(({ column }) => column)) + 1;
    const width = depth * COLUMN;
    const height = this.rows * ROW + 4;
    this.host.replaceChildren(s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Search tree" },
      ...this.links, ...this.boxes.map(({ element }) => element)));
  }

  /** Lays out a knot and what is shown below it; returns the height of its middle. @param {any} knot @param {boolean} onBest @returns {number} */
  lay(knot, onBest) {
    const below = [];
    if (knot.open && knot.children.length) {
      const searched = knot.children.filter((/** @type {any} */ child) => !child.skipped);
      const most = knot.all ? searched.length : SHOWN[knot.depth] ?? 2;
      const shown = searched.filter((/** @type {any} */ child, /** @type {number} */ at) => at < most || child.best || (child === searched.at(-1) && knot.cut));
      for (const child of shown) below.push({ y: this.lay(child, onBest && child.best), style: child.cut ? "cut" : "" });
      const folded = searched.length - shown.length;
      if (folded > 0) below.push({ y: this.note(knot, `${folded} more, searched`, () => { knot.all = true; }), style: "" });
    }
    if (knot.open && knot.leftOut) below.push({ y: this.note(knot, `✂ ${knot.leftOut} not searched`, null), style: "skipped" });
    const y = below.length ? (below[0].y + below[below.length - 1].y) / 2 : (this.rows++ + 0.5) * ROW;
    const x = knot.depth * COLUMN + WIDTH;
    for (const { y: to, style } of below) {
      this.links.push(s("path", { class: `link ${style}`, d: `M${x},${y} C${x + 26},${y} ${x + 24},${to} ${x + COLUMN - WIDTH},${to}` }));
    }
    this.boxes.push({ column: knot.depth, element: this.box(knot, y, onBest) });
    return y;
  }

  /** A box that stands for many moves. @param {any} knot @param {string} words @param {(() => void)|null} act */
  note(knot, words, act) {
    const y = (this.rows++ + 0.5) * ROW;
    const x = (knot.depth + 1) * COLUMN;
    const element = s("g", { class: `node skipped ${act ? "fold" : ""}`, transform: `translate(${x}, ${y - 13})` },
      s("rect", { class: "box", width: WIDTH, height: 26, rx: 6 }), s("text", { x: 10, y: 17 }, words));
    if (act) this.makeButton(element, words, act, false);
    this.boxes.push({ column: knot.depth + 1, element });
    return y;
  }

  /** @param {any} knot @param {number} y @param {boolean} onBest */
  box(knot, y, onBest) {
    const foldable = knot.children.length > 0 || knot.leftOut > 0;
    const classes = ["node", onBest ? "best" : "", knot.cut ? "cut" : "", foldable ? "fold" : ""].join(" ");
    const window_ = `α ${limit(knot.alpha, "−∞")}   β ${limit(knot.beta, "+∞")}`;
    const name = knot.san || `${knot.turn === "white" ? "White" : "Black"} to move`;
    const value = limit(knot.value, "");
    const element = s("g", { class: classes, transform: `translate(${knot.depth * COLUMN}, ${y - HEIGHT / 2})` },
      s("rect", { class: "box", width: WIDTH, height: HEIGHT, rx: 6 }),
      s("text", { x: 10, y: 16 }, name, foldable && !knot.open ? s("tspan", { class: "window" }, "  ▸") : null),
      s("text", { class: "value", x: WIDTH - 10, y: 16, "text-anchor": "end" }, value),
      s("text", { class: "window", x: 10, y: 31 }, window_),
      knot.cut ? s("text", { class: "reason", x: WIDTH - 10, y: 31, "text-anchor": "end" }, knot.turn === "white" ? "≥ β ✂" : "≤ α ✂") : null);
    const cut = knot.cut ? `, cutoff: the value reached ${knot.turn === "white" ? "beta" : "alpha"}` : "";
    const label = `${name}, value ${value || "unknown"}, alpha ${limit(knot.alpha, "open")}, beta ${limit(knot.beta, "open")}${cut}`;
    if (foldable) this.makeButton(element, label, () => { knot.open = !knot.open; }, knot.open);
    else element.append(s("title", {}, label));
    return element;
  }

  /** @param {Element} element @param {string} label @param {() => void} act @param {boolean} open */
  makeButton(element, label, act, open) {
    const press = () => {
      const at = [...this.host.querySelectorAll(".fold")].indexOf(element);
      act();
      this.draw();
      /** @type {any} */ (this.host.querySelectorAll(".fold")[at])?.focus({ preventScroll: true });
    };
    element.setAttribute("tabindex", "0");
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", label);
    element.setAttribute("aria-expanded", String(open));
    element.addEventListener("click", press);
    element.addEventListener("keydown", (event) => {
      const { key } = /** @type {KeyboardEvent} */ (event);
      if (key !== "Enter" && key !== " ") return;
      event.preventDefault();
      press();
    });
  }
}
