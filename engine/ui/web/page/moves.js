/** The list of moves, with variations and marks, and the buttons that step through it. */

import { numberOf, scoreText, spoken, turnOf } from "./chess.js";
import { h, icon } from "./dom.js";

/** @typedef {import("./record.js").Node} Node */
/** @typedef {import("./record.js").Record} GameRecord */

/** The CSS class of a mark, by its severity. @param {string} [mark] */
export function gravity(mark) {
  return { "??": "awful", "?": "bad", "?!": "slight", "!": "good", "!!": "good", "!?": "good" }[mark ?? ""] ?? "";
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
  }

  /** @param {GameRecord} record @param {Node} current */
  show(record, current) {
    const focused = this.host.contains(document.activeElement);
    this.current = current;
    const children = record.root.children.length
      ? [h("ol", {}, ...this.rows(record.root))]
      : [h("p.empty", {}, this.options.empty)];
    this.host.replaceChildren(...children);
    const chosen = /** @type {HTMLElement|null} */ (this.host.querySelector("[aria-current]"));
    if (chosen) {
      const top = chosen.offsetTop - this.host.clientHeight / 2;
      this.host.scrollTop = Math.max(0, top);
      if (focused) chosen.focus({ preventScroll: true });
    } else {
      this.host.scrollTop = 0;
    }
  }

  /** The cells of the game itself: number, White's move, Black's, and comments and variations between them. @param {Node} root */
  rows(root) {
    const cells = [];
    let column = 0;
    for (let node = root; node.children.length; node = node.children[0]) {
      const next = node.children[0];
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
    if (node.comment) parts.push(h("p", {}, node.comment));
    for (const other of before.children.slice(1)) parts.push(h("div", {}, ...this.inline(other, before)));
    return parts.length ? h("li.aside", {}, ...parts) : null;
  }

  /** A variation as running text. @param {Node} node @param {Node} before */
  inline(node, before) {
    const parts = [h("span.faint", {}, numberOf(before.fen)), this.button(node)];
    for (let at = node; at.children.length; at = at.children[0]) {
      const [next, ...others] = at.children;
      if (turnOf(at.fen) === "white" || others.length) parts.push(h("span.faint", {}, numberOf(at.fen)));
      parts.push(this.button(next));
      for (const other of others) parts.push("(", ...this.inline(other, at), ")");
    }
    return parts;
  }

  /** @param {Node} node */
  button(node) {
    const here = node === this.current;
    const value = this.options.values && node.score ? h("span.value", {}, scoreText(node.score)) : null;
    const mark = node.mark ? h("span.mark", { class: `mark ${gravity(node.mark)}` }, node.mark) : null;
    const label = `${spoken(node.san ?? "")}${node.mark ? `, ${MARKS[node.mark] ?? ""}` : ""}`;
    return h("button", { type: "button", "aria-label": label, "aria-current": here && "true", onclick: () => this.options.go(node) },
      h("span", {}, node.san ?? "", ...(mark ? [mark] : [])), value);
  }
}

const MARKS = { "??": "blunder", "?": "mistake", "?!": "inaccuracy", "!": "good move", "!!": "brilliant move", "!?": "interesting", "□": "only move" };

/**
 * Fills a bar with the four stepping buttons and the one that flips the board.
 * @param {HTMLElement} bar
 * @param {{first: () => void, previous: () => void, next: () => void, last: () => void, flip: () => void}} actions
 */
export function fillSteps(bar, actions) {
  const words = { first: "Go to the start", previous: "Previous move", next: "Next move", last: "Go to the end", flip: "Flip board" };
  bar.replaceChildren(...Object.entries(words).map(([name, label]) =>
    h("button", { type: "button", "aria-label": label, title: label, "data-step": name, onclick: () => actions[name]() }, icon(name))));
}
