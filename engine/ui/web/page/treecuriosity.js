/** How curious UCT is: a slider for C, and what it does to the visits of the root's moves. */

import { h } from "./dom.js";

const USUAL = 8; // position of the slider: C is what fits the leaves
const MOST = 16;
const MOST_MOVES = 12; // whose visits are listed

/** What C is multiplied by: 0 on the left, doubled every two positions. @param {number} position */
const factorAt = (position) => (position ? 2 ** ((position - USUAL) / 2) : 0);

export class Curiosity {
  /** @param {{onChange: () => void}} options */
  constructor({ onChange }) {
    this.slider = h("input", { type: "range", id: "trees-c", min: 0, max: MOST, value: USUAL, "aria-describedby": "trees-visits", oninput: onChange });
    this.output = h("output", { id: "trees-c-value", for: "trees-c" });
    this.visits = h("ul.uct-visits", { id: "trees-visits", "aria-label": "Visits of the moves at the end" });
    this.part = h("div.field", {}, h("label", { for: "trees-c" }, h("span", {}, "Curiosity: C of UCB1"), this.output), this.slider, this.visits);
  }

  /** Fields of a request. @returns {Record<string, number>} */
  fields() {
    return { curiosity: factorAt(Number(this.slider.value)) };
  }

  /** The position, for a link. */
  get position() {
    return this.slider.value;
  }

  /** @param {string|null} position */
  set position(position) {
    if (position !== null && /^\d+$/.test(position)) this.slider.value = position;
  }

  /** Shows the C that was taken, and the visits that came of it. Returns them in words. @param {any} answer @returns {string} */
  show({ steps, exploration }) {
    const c = `${Number(exploration.toPrecision(3))}`;
    const isUsual = Number(this.slider.value) === USUAL;
    this.output.textContent = `${c}${isUsual ? " (usual)" : ""}`;
    this.slider.setAttribute("aria-valuetext", `C ${c}`);
    const counts = Object.entries(/** @type {Record<string, number>} */ (steps.at(-1).numbers ?? {}));
    const most = Math.max(1, ...counts.map(([, count]) => count));
    const listed = counts.sort(([, one], [, other]) => other - one).slice(0, MOST_MOVES).sort(([one], [other]) => (one < other ? -1 : 1));
    this.visits.replaceChildren(...listed.map(([move, count]) =>
      h("li", {}, h("span", {}, move), h("progress", { max: most, value: count, "aria-label": `Visits of ${move}` }), h("span", {}, String(count)))));
    return `C ${c}, visits: ${listed.map(([move, count]) => `${move} ${count}`).join(", ")}`;
  }
}
