/**
 * A tree in the picture style of the lessons, as it stands after some steps: MAX points up, MIN down, chance and players
 * are round, leaves square. One node is selected; the arrow keys move the selection.
 */

import { s } from "./dom.js";

const STEP = 62; // from leaf to leaf
const LEVEL = 104;
const TOP = 40;
const HALF = 25; // of a node
const WIDER = 7; // a player's node, which has a tuple
const BESIDE = 54; // for the window beside a node
const LETTER = 8;
const LABEL_AT = 0.66; // of the way from a node to its child
const CUT_AT = 0.36;
const SMALLEST = 0.62; // scale on a narrow screen

/** A number as people write it; null is infinite. @param {number|number[]|null} value @param {string} open */
export function shown(value, open) {
  if (value === null || value === undefined) return open;
  if (Array.isArray(value)) return `(${value.map((number) => shown(number, open)).join(", ")})`;
  return String(Math.round(value * 100) / 100).replace("-", "−");
}

/** How the nodes stand after so many steps. @param {any[]} steps @param {number} count */
export function standing(steps, count) {
  const last = new Map();
  const cut = new Set();
  for (const step of steps.slice(0, count)) {
    last.set(step.node, step);
    for (const number of step.skipped ?? []) cut.add(number);
  }
  return { last, cut };
}

export class TreePicture {
  /** @param {HTMLElement} host @param {{onSelect: (number: number) => void, onEdit: (what: string) => void}} options */
  constructor(host, { onSelect, onEdit }) {
    this.host = host;
    this.onSelect = onSelect;
    this.onEdit = onEdit;
    host.addEventListener("keydown", (event) => this.type(event));
    new ResizeObserver(() => this.fit()).observe(host);
  }

  /** @param {{nodes: any[], steps: any[], count: number, selected: number}} scene */
  show(scene) {
    Object.assign(this, scene);
    this.state = standing(this.steps, this.count);
    this.now = this.count ? this.steps[this.count - 1].node : -1;
    this.children = this.nodes.map(() => /** @type {number[]} */ ([]));
    this.nodes.forEach(({ parent }, number) => { if (parent !== null) this.children[parent].push(number); });
    this.spots = [];
    this.left = 0;
    this.depth = 0;
    this.lay(0, 0);
    const hadFocus = this.host.contains(document.activeElement);
    this.width = Math.max(this.left, 3 * STEP) + 16;
    this.height = TOP + this.depth * LEVEL + HALF + 34;
    const best = this.bestLine();
    const edges = this.nodes.flatMap((node, number) => (node.parent === null ? [] : this.edge(number, best)));
    this.svg = s("svg", { viewBox: `0 0 ${this.width} ${this.height}`, role: "tree", "aria-label": "Tree" }, ...edges, ...this.nodes.map((_, number) => this.node(number)));
    this.host.replaceChildren(this.svg);
    this.fit();
    if (hadFocus) this.element(this.selected)?.focus({ preventScroll: true });
    this.reveal(this.count ? this.now : this.selected);
  }

  /** @param {number} number @returns {any} */
  element(number) {
    return this.host.querySelector(`[data-node="${number}"]`);
  }

  /** Scales the picture to the width there is, but not so far that it cannot be read. */
  fit() {
    if (!this.svg) return;
    const scale = Math.max(SMALLEST, Math.min(1, this.host.clientWidth / this.width));
    this.svg.setAttribute("width", this.width * scale);
    this.svg.setAttribute("height", this.height * scale);
    this.scale = scale;
  }

  /** Scrolls to a node. @param {number} number */
  reveal(number) {
    const spot = this.spots[number];
    if (!spot) return;
    const [x, y] = [spot.x * this.scale, spot.y * this.scale];
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.host;
    if (x < scrollLeft + 30 || x > scrollLeft + clientWidth - 60) this.host.scrollLeft = x - clientWidth / 2;
    if (y < scrollTop + 30 || y > scrollTop + clientHeight - 40) this.host.scrollTop = y - clientHeight / 2;
  }

  /** Gives a node and those below it their spots. @param {number} number @param {number} depth */
  lay(number, depth) {
    const start = this.left;
    const { values } = this.nodes[number];
    const text = values.length ? values.join(", ") : "";
    const half = values.length > 1 ? Math.max(HALF, (text.length + 2) * LETTER / 2 + 2) : HALF;
    for (const child of this.children[number]) this.lay(child, depth + 1);
    const below = this.children[number].map((child) => this.spots[child].x);
    const room = below.length ? 2 * (HALF + BESIDE) : Math.max(STEP, 2 * half + 12);
    if (this.left - start < room) {
      const more = room - (this.left - start);
      this.push(number, more / 2);
      this.left = start + room;
    }
    const middle = below.length ? (this.spots[this.children[number][0]].x + this.spots[this.children[number].at(-1) ?? 0].x) / 2 : start + room / 2;
    this.spots[number] = { x: middle, y: TOP + depth * LEVEL, half };
    this.depth = Math.max(this.depth, depth);
  }

  /** Moves everything below a node to the right. @param {number} number @param {number} by */
  push(number, by) {
    for (const child of this.children[number]) {
      this.spots[child].x += by;
      this.push(child, by);
    }
  }

  /** The nodes on the line that would be played, as far as it is known. */
  bestLine() {
    const line = new Set([0]);
    for (let at = 0; ;) {
      const best = this.state.last.get(at)?.best;
      const next = best && this.state.last.get(at)?.event !== "enter" ? this.children[at].find((child) => this.move(child) === best) : undefined;
      if (next === undefined) return line;
      line.add(next);
      at = next;
    }
  }

  /** The move that leads to a node. @param {number} number @returns {string} */
  move(number) {
    const { name, parent } = this.nodes[number];
    return name.slice(this.nodes[parent].name.length);
  }

  /** @param {number} number @param {Set<number>} best @returns {Element[]} */
  edge(number, best) {
    const [from, to] = [this.spots[this.nodes[number].parent], this.spots[number]];
    const [start, end] = [{ x: from.x, y: from.y + HALF }, { x: to.x, y: to.y - HALF + (this.nodes[number].type === "leaf" ? 7 : 0) }];
    const at = (/** @type {number} */ share) => ({ x: start.x + share * (end.x - start.x), y: start.y + share * (end.y - start.y) });
    const isCut = this.state.cut.has(number);
    const name = [this.move(number), this.nodes[number].odds].filter(Boolean).join(" ");
    const label = at(LABEL_AT);
    const mark = at(CUT_AT);
    const parts = [
      s("line", { class: `link ${isCut ? "skipped" : best.has(number) ? "best" : ""}`, x1: start.x, y1: start.y, x2: end.x, y2: end.y }),
      s("rect", { class: "under", x: label.x - (LETTER * name.length) / 2 - 2, y: label.y - 10, width: LETTER * name.length + 4, height: 18 }),
      s("text", { class: "way", x: label.x, y: label.y + 4, "text-anchor": "middle" }, name)];
    if (isCut && !this.state.cut.has(this.nodes[number].parent)) parts.push(s("line", { class: "stroke", x1: mark.x - 9, y1: mark.y + 5, x2: mark.x + 9, y2: mark.y - 5 }));
    return parts;
  }

  /** @param {number} number */
  node(number) {
    const [node, spot, step] = [this.nodes[number], this.spots[number], this.state.last.get(number)];
    const isCut = this.state.cut.has(number);
    const classes = ["node", node.type, isCut ? "skipped" : "", step ? "reached" : "", number === this.now ? "now" : "", number === this.selected ? "selected" : ""].join(" ");
    const value = node.type === "leaf" ? leafText(node) : step ? `${step.sign}${step.value === null && step.event === "enter" ? this.start(node) : shown(step.value, "")}` : "";
    const beside = [];
    if (node.type === "player") beside.push(node.player);
    if (step?.alpha !== undefined && node.type !== "leaf") beside.push(`α ${shown(step.alpha, "−∞")}`, `β ${shown(step.beta, "∞")}`);
    if (step?.visits !== undefined) beside.push(`N ${step.visits}`);
    const isLeaf = node.type === "leaf";
    const element = s("g", {
      class: classes, transform: `translate(${spot.x}, ${spot.y})`, "data-node": number, role: "treeitem", tabindex: number === this.selected ? 0 : -1,
      "aria-label": this.label(number, value), "aria-level": (spot.y - TOP) / LEVEL + 1, "aria-selected": number === this.selected,
    }, shape(node.type, spot.half), s("text", { class: value.length > 4 ? "value long" : "value", y: { max: 15, min: -2 }[/** @type {string} */ (node.type)] ?? 5, "text-anchor": "middle" }, value),
    ...beside.map((text, row) => s("text", { class: "window", x: isLeaf ? 0 : HALF + 7 + (node.type === "player" ? WIDER : 0), y: isLeaf ? HALF + 9 : 15 * row - 7, "text-anchor": isLeaf ? "middle" : "start" }, text)));
    element.addEventListener("click", () => { this.onSelect(number); this.element(number)?.focus({ preventScroll: true }); });
    return element;
  }

  /** What a player has before the first move is known. @param {any} node */
  start(node) {
    return { max: "−∞", min: "∞" }[/** @type {string} */ (node.type)] ?? "";
  }

  /** What a screen reader reads. @param {number} number @param {string} value */
  label(number, value) {
    const { name, type, player, odds } = this.nodes[number];
    const step = this.state.last.get(number);
    const window = step?.alpha === undefined ? "" : `, alpha ${shown(step.alpha, "minus infinity")}, beta ${shown(step.beta, "infinity")}`;
    const worth = value ? `, value ${value.replace("≤", "at most ").replace("≥", "at least ").replace("−", "minus ").replace("∞", "infinity")}` : "";
    const state = this.state.cut.has(number) ? ", cut off" : number === this.now ? ", current step" : step ? "" : ", not reached";
    const visits = step?.visits === undefined ? "" : `, visits ${step.visits}`;
    return `${name ? `Node ${name}` : "The root"}, ${type === "leaf" ? "leaf" : player}${odds ? `, odds ${odds}` : ""}${worth}${window}${visits}${state}`;
  }

  /** @param {KeyboardEvent} event */
  type(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { parent } = this.nodes[this.selected];
    const siblings = parent === null ? [0] : this.children[parent];
    const at = siblings.indexOf(this.selected);
    /** @type {Record<string, number|undefined|null>} */
    const targets = { ArrowUp: parent, ArrowDown: this.children[this.selected][0], ArrowLeft: siblings[at - 1] ?? this.selected, ArrowRight: siblings[at + 1] ?? this.selected, Home: 0 };
    if (event.key in targets) {
      event.preventDefault();
      this.onSelect(targets[event.key] ?? this.selected);
      this.element(this.selected)?.focus({ preventScroll: true });
      this.reveal(this.selected);
      return;
    }
    const edit = { Insert: "add", "+": "add", Delete: "delete", Backspace: "delete", Enter: "change", F2: "change" }[event.key];
    if (!edit) return;
    event.preventDefault();
    this.onEdit(edit);
  }
}

/** @param {any} node */
const leafText = ({ values }) => (values.length > 1 ? `(${values.join(", ")})` : values[0]).replaceAll("-", "−");

/** @param {string} type @param {number} half of the width of a leaf */
function shape(type, half) {
  if (type === "leaf") return s("rect", { class: "box", x: 5 - half, y: 7 - HALF, width: 2 * half - 10, height: 2 * HALF - 14, rx: 4 });
  if (type === "chance" || type === "player") return s("circle", { class: "box", r: type === "player" ? HALF + WIDER : HALF });
  const [base, tip] = type === "max" ? [HALF - 2, -HALF - 3] : [2 - HALF, HALF + 3];
  return s("polygon", { class: "box", points: `${-HALF - 4},${base} ${HALF + 4},${base} 0,${tip}` });
}
