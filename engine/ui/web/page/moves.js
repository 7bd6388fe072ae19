/** The list of moves as a tree, with comments and marks, and the buttons that step through it. */

import { numberOf, scoreText, spoken, turnOf } from "./chess.js";
import { h, icon } from "./dom.js";

/** @typedef {import("./record.js").Node} Node */
/** @typedef {import("./record.js").GameRecord} GameRecord */

const MARKS = { "??": "blunder", "?": "mistake", "?!": "inaccuracy", "!": "good move", "!!": "brilliant move", "!?": "interesting", "□": "only move" };
const GLYPHS = { 10: "=", 13: "∞", 14: "+=", 15: "=+", 16: "±", 17: "∓", 18: "+−", 19: "−+", 36: "→", 40: "↑", 132: "⇆", 146: "N" };
const INDENTED = 3; // how deep lines have a block of their own; deeper ones stand in brackets

/** The CSS class of a mark, by its severity. @param {string} [mark] */
export function severity(mark) {
  return { "??": "blunder", "?": "mistake", "?!": "inaccuracy", "!": "good", "!!": "good", "!?": "good" }[mark ?? ""] ?? "";
}

export class MoveList {
  /**
   * @param {HTMLElement} host
   * @param {{go: (node: Node) => void, empty: string, values?: boolean}} options
   */
  constructor(host, options) {
    this.host = host;
    this.options = options;
    this.host.setAttribute("role", "region");
    this.host.setAttribute("aria-label", "Moves");
    this.host.tabIndex = -1;
    /** @type {Map<Node, HTMLElement>} */
    this.buttons = new Map();
    /** @type {GameRecord|null} */
    this.record = null;
    this.version = -1;
  }

  /** Draws the tree if it has changed, and marks the current move. @param {GameRecord} record @param {Node} current */
  show(record, current) {
    const focused = this.host.contains(document.activeElement);
    if (record !== this.record || record.version !== this.version) this.draw(record);
    this.host.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const chosen = this.buttons.get(current);
    if (!chosen) {
      this.host.scrollTop = 0;
      return;
    }
    chosen.setAttribute("aria-current", "true");
    const [box, row] = [this.host.getBoundingClientRect(), chosen.getBoundingClientRect()];
    this.host.scrollTop += row.top - box.top - box.height / 2;
    if (focused) chosen.focus({ preventScroll: true });
  }

  /** @param {GameRecord} record */
  draw(record) {
    [this.record, this.version] = [record, record.version];
    this.buttons.clear();
    const { root } = record;
    const opening = root.comment ? [h("p.comment-text", {}, root.comment)] : [];
    const list = root.children.length ? h("ol", {}, ...this.rows(root)) : h("p.empty", {}, this.options.empty);
    this.host.replaceChildren(...opening, list);
  }

  /** The cells of the game itself: number, White's move, Black's, and comments and variations between them. @param {Node} root */
  rows(root) {
    const cells = [];
    let column = 0;
    for (let node = root; node.children.length; [node] = node.children) {
      const [next] = node.children;
      const white = turnOf(node.fen) === "white";
      if (column === 0) {
        cells.push(h("li.number", {}, numberOf(node.fen).replace("...", ".")));
        if (!white) cells.push(h("li.gap", {}, "…"));
      }
      cells.push(h("li", {}, this.button(next)));
      column = white ? 1 : 0;
      const aside = this.aside(node, next);
      if (!aside) continue;
      if (column === 1) cells.push(h("li.gap", {}));
      cells.push(aside);
      column = 0;
    }
    return cells;
  }

  /** The comment and the variations beside a move of the game. @param {Node} before @param {Node} node */
  aside(before, node) {
    const parts = [];
    if (node.comment) parts.push(h("p.comment-text", {}, node.comment));
    for (const other of before.children.slice(1)) parts.push(h("div.line", {}, ...this.line(other, before, 1)));
    return parts.length ? h("li.aside", {}, ...parts) : null;
  }

  /** A variation as running text, with the lines that branch off it. @param {Node} node @param {Node} before @param {number} depth */
  line(node, before, depth) {
    const parts = this.moveParts(node, before, true);
    let numbered = Boolean(node.comment); // Black's move needs its number where something stands before it
    for (let at = node; at.children.length; [at] = at.children) {
      const [next, ...others] = at.children;
      parts.push(...this.moveParts(next, at, numbered));
      numbered = Boolean(others.length || next.comment);
      for (const other of others) {
        const inside = this.line(other, at, depth + 1);
        if (depth < INDENTED) parts.push(h("div.line", {}, ...inside));
        else parts.push("(", ...inside, ")");
      }
    }
    return parts;
  }

  /** A move of a variation with its number and comments. @param {Node} node @param {Node} before @param {boolean} numbered */
  moveParts(node, before, numbered) {
    /** @type {(HTMLElement|string)[]} */
    const parts = [];
    if (node.lead) parts.push(h("span.comment-text", {}, node.lead));
    if (numbered || turnOf(before.fen) === "white") parts.push(h("span.faint", {}, numberOf(before.fen)));
    parts.push(this.button(node));
    if (node.comment) parts.push(h("span.comment-text", {}, node.comment));
    return parts;
  }

  /** @param {Node} node */
  button(node) {
    const value = this.options.values && node.score ? h("span.value", {}, scoreText(node.score)) : null;
    const glyphs = (node.nags ?? []).map((nag) => ` ${GLYPHS[nag] ?? `$${nag}`}`).join("");
    const mark = node.mark ? h("span.mark", { class: `mark ${severity(node.mark)}` }, node.mark) : null;
    const label = `${spoken(node.san ?? "")}${node.mark ? `, ${MARKS[node.mark] ?? ""}` : ""}`;
    const button = h("button", { type: "button", "aria-label": label, onclick: () => this.options.go(node) },
      h("span", {}, node.san ?? "", ...(mark ? [mark] : []), glyphs), value);
    this.buttons.set(node, button);
    return button;
  }
}

/**
 * Fills a bar with the four stepping buttons and the one that flips the board.
 * @param {HTMLElement} bar
 * @param {(name: string) => void} act to take the step first, previous, next or last, or to flip
 */
export function fillSteps(bar, act) {
  const words = { first: "Go to the start", previous: "Previous move", next: "Next move", last: "Go to the end", flip: "Flip board" };
  bar.replaceChildren(...Object.entries(words).map(([name, label]) =>
    h("button", { type: "button", "aria-label": label, title: label, "data-step": name, onclick: () => act(name) }, icon(name))));
}

/** Disables the steps that lead nowhere. @param {HTMLElement} bar @param {boolean} back @param {boolean} on whether one can step back, and on */
export function enableSteps(bar, back, on) {
  const able = { first: back, previous: back, next: on, last: on };
  for (const button of bar.querySelectorAll("button")) button.disabled = able[button.dataset.step ?? ""] === false;
}
