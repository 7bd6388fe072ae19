/**
 * A small search tree in the picture style of the course: MAX points up, MIN points down, leaves are square, beside a
 * node stand its window and the order of its visit, a red stroke marks what alpha-beta cuts off.
 */

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
 * @property {number|null} visit
 */

const STEP = 92; // from leaf to leaf
const WINDOW = 62; // more for a node that is closed, with its window beside it
const LEVEL = 124; // from level to level
const TOP = 50;
const HALF = 31; // of a node
const LABEL_AT = 0.66; // of the way from a node to its child stands the move
const CUT_AT = 0.38;
const LETTER = 8.2; // width
const SHOWN = [4, 3, 3]; // children of a node that are shown at first, by its depth
const OPENED = [1, 2, 1]; // how many nodes of a depth among siblings are open at first

/** @param {number|null} cp @param {string} open */
const limit = (cp, open) => (cp === null || cp === undefined ? open : pawns(cp));

/** @param {{x: number, y: number}} from @param {{x: number, y: number}} to @param {number} share */
const between = (from, to, share) => ({ x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) });

export class SearchTree {
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

  /** @param {TreeNode[]} nodes @param {"white"|"black"} turn */
  show(nodes, turn) {
    const nodesById = new Map(nodes.map((node) => [node.id, { ...node, children: [], depth: 0, turn, open: false, all: false }]));
    for (const node of [...nodesById.values()].sort((a, b) => a.order - b.order)) {
      const parent = node.parent === null ? null : nodesById.get(node.parent);
      if (parent) parent.children.push(/** @type {never} */ (node));
      else this.root = node;
    }
    this.grow(this.root, 0, 0, turn, true);
    this.drawn = true;
    this.host.scrollTo(this.draw() - this.host.clientWidth / 2, 0);
  }

  /** Gives each node its depth, its side and whether it is open. @param {any} node @param {number} depth @param {number} index @param {string} turn @param {boolean} seen */
  grow(node, depth, index, turn, seen) {
    Object.assign(node, { depth, turn, open: seen && index < (OPENED[depth] ?? 0) });
    const after = turn === "white" ? "black" : "white";
    node.children.forEach((/** @type {any} */ child, /** @type {number} */ at) => this.grow(child, depth + 1, at, after, node.open));
    const searched = node.children.filter((/** @type {any} */ child) => !child.skipped && child.value !== null);
    const best = searched.find((/** @type {any} */ child) => child.value === node.value);
    if (best) best.best = true;
    node.leftOut = node.children.filter((/** @type {any} */ child) => child.skipped).length;
  }

  draw() {
    this.left = 0;
    this.bottom = 0;
    /** @type {Element[]} */
    this.lines = [];
    /** @type {Element[]} */
    this.names = [];
    /** @type {Element[]} */
    this.shapes = [];
    const { x } = this.lay(this.root, true);
    const width = Math.max(this.left, 2 * STEP) + 24;
    const height = this.bottom + HALF + 30;
    this.host.replaceChildren(s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Search tree" },
      ...this.lines, ...this.names, ...this.shapes));
    return x;
  }

  /** The position of the next node that has nothing below it. @param {number} depth @param {number} [beside] room for what stands beside it */
  leafPosition(depth, beside = 0) {
    const at = { x: this.left + STEP / 2 + 8, y: TOP + depth * LEVEL, reach: beside ? HALF : HALF - 8 };
    this.left += STEP + beside;
    this.bottom = Math.max(this.bottom, at.y);
    return at;
  }

  /** Lays out a node and what is shown below it; returns where it stands. @param {any} node @param {boolean} onBest @returns {{x: number, y: number, reach: number}} how far its shape reaches up */
  lay(node, onBest) {
    const below = [];
    if (node.open) {
      const searched = node.children.filter((/** @type {any} */ child) => !child.skipped);
      const most = node.all ? searched.length : SHOWN[node.depth] ?? 2;
      const shown = searched.filter((/** @type {any} */ child, /** @type {number} */ at) => at < most || child.best || (child === searched.at(-1) && node.cut));
      for (const child of shown) below.push({ to: this.lay(child, onBest && child.best), name: child.san, style: onBest && child.best ? "best" : "" });
      const folded = searched.length - shown.length;
      if (folded > 0) below.push({ to: this.note(node, `${folded} more`, "searched", () => { node.all = true; }), name: "", style: "" });
      if (node.leftOut) below.push({ to: this.note(node, `${node.leftOut} more`, "not searched", null), name: "", style: "skipped" });
    }
    const at = below.length ? { x: (below[0].to.x + below[below.length - 1].to.x) / 2, y: TOP + node.depth * LEVEL, reach: HALF } : this.leafPosition(node.depth, node.children.length ? WINDOW : 0);
    for (const { to, name, style } of below) this.edge(at, to, name, style);
    this.shapes.push(this.node(node, at, onBest));
    return at;
  }

  /** @param {{x: number, y: number}} from @param {{x: number, y: number, reach: number}} to @param {string} name @param {string} style */
  edge(from, to, name, style) {
    const start = { x: from.x, y: from.y + HALF };
    const end = { x: to.x, y: to.y - to.reach };
    this.lines.push(s("line", { class: `link ${style}`, x1: start.x, y1: start.y, x2: end.x, y2: end.y }));
    if (style === "skipped") {
      const { x, y } = between(start, end, CUT_AT);
      this.lines.push(s("line", { class: "stroke", x1: x - 9, y1: y + 5, x2: x + 9, y2: y - 5 }));
    }
    if (!name) return;
    const { x, y } = between(start, end, LABEL_AT);
    const width = LETTER * name.length + 6;
    this.names.push(s("rect", { class: "under", x: x - width / 2, y: y - 15, width, height: 20 }),
      s("text", { class: "way", x, y, "text-anchor": "middle" }, name));
  }

  /** A square that stands for many moves. @param {any} node @param {string} words @param {string} about @param {(() => void)|null} act */
  note(node, words, about, act) {
    const at = this.leafPosition(node.depth + 1);
    const element = s("g", { class: `node ${act ? "fold" : "skipped"}`, transform: `translate(${at.x}, ${at.y})` },
      s("rect", { class: "box leaf", x: -HALF, y: 8 - HALF, width: 2 * HALF, height: 2 * HALF - 16, rx: 4 }),
      s("text", { class: "value", y: 5, "text-anchor": "middle" }, words), s("text", { class: "window", y: HALF + 12, "text-anchor": "middle" }, about));
    if (act) this.makeButton(element, `${words}, ${about}`, act, false);
    this.shapes.push(element);
    return at;
  }

  /** @param {any} node @param {{x: number, y: number}} at @param {boolean} onBest */
  node(node, at, onBest) {
    const foldable = node.children.length > 0;
    const nodeType = !foldable ? "leaf" : node.turn === "white" ? "max" : "min";
    const classes = ["node", nodeType, onBest ? "best" : "", node.cut ? "cut" : "", foldable ? "fold" : ""].join(" ");
    const name = node.san || `${node.turn === "white" ? "White" : "Black"} to move`;
    const bound = node.cut ? (node.turn === "white" ? "≥" : "≤") : "";
    const value = limit(node.value, "");
    const element = s("g", { class: classes, transform: `translate(${at.x}, ${at.y})` },
      this.shape(nodeType),
      s("text", { class: bound ? "value long" : "value", y: nodeType === "max" ? 17 : nodeType === "min" ? -3 : 5, "text-anchor": "middle" }, bound + value),
      ...(foldable ? [`α ${limit(node.alpha, "−∞")}`, `β ${limit(node.beta, "∞")}`].map((text, row) =>
        s("text", { class: "window", x: HALF + 7, y: 17 * row - 6 }, text)) : []),
      foldable && !node.open ? s("text", { class: "window", x: 0, y: HALF + 18, "text-anchor": "middle" }, `${node.children.length} below ▾`) : null,
      node.visit ? s("circle", { class: "order", cx: -HALF - 2, cy: 2 - HALF, r: 11 }) : null,
      node.visit ? s("text", { class: "window", x: -HALF - 2, y: 6.5 - HALF, "text-anchor": "middle" }, String(node.visit)) : null);
    const cut = node.cut ? `, cutoff: the value reached ${node.turn === "white" ? "beta" : "alpha"}` : "";
    const label = `${name}, value ${value || "unknown"}, alpha ${limit(node.alpha, "open")}, beta ${limit(node.beta, "open")}${cut}`;
    if (foldable) this.makeButton(element, label, () => { node.open = !node.open; }, node.open);
    else element.append(s("title", {}, label));
    return element;
  }

  /** @param {"max"|"min"|"leaf"} nodeType */
  shape(nodeType) {
    if (nodeType === "leaf") return s("rect", { class: "box", x: -HALF, y: 8 - HALF, width: 2 * HALF, height: 2 * HALF - 16, rx: 4 });
    const [base, tip] = nodeType === "max" ? [HALF - 2, -HALF - 3] : [2 - HALF, HALF + 3];
    return s("polygon", { class: "box", points: `${-HALF - 5},${base} ${HALF + 5},${base} 0,${tip}` });
  }

  /** @param {Element} element @param {string} label @param {() => void} act @param {boolean} open */
  makeButton(element, label, act, open) {
    const press = () => {
      act();
      this.draw();
      const again = [...this.host.querySelectorAll(".fold")].find((other) => other.getAttribute("aria-label") === label);
      /** @type {any} */ (again)?.focus({ preventScroll: true });
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
