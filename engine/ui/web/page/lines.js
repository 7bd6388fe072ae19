/** The engine's lines, the evaluation bar and the chances to win, draw and lose. */

import { numberOf, scoreText, shareOf, short, turnOf } from "./chess.js";
import { byId, h } from "./dom.js";

/** @typedef {{score: import("./chess.js").Score, wdl: number[], uci: string[], san: string[], text: string}} Line */

const SHOWN = 14; // moves of a line

export class Lines {
  /** @param {{follow: (uci: string[]) => void}} options what to do when a move of a line is chosen */
  constructor(options) {
    this.options = options;
    /** @type {Line[]} */
    this.lines = [];
    this.list = byId("lines");
    // A row may be renewed between press and release, so the press counts; a click without one comes from the keyboard.
    const follow = (/** @type {Event} */ event) => {
      const { line, move } = /** @type {HTMLElement} */ (event.target).dataset;
      if (line !== undefined) options.follow(this.lines[Number(line)].uci.slice(0, Number(move) + 1));
    };
    this.list.addEventListener("pointerdown", follow);
    this.list.addEventListener("click", (/** @type {MouseEvent} */ event) => { if (event.detail === 0) follow(event); });
  }

  /** @param {string} words why there are no lines @param {number} [rows] that will come, so that nothing below moves then */
  clear(words, rows = 1) {
    this.lines = [];
    byId("engine-effort").textContent = "";
    this.list.replaceChildren(...Array.from({ length: rows }, (_, index) => h("li.waiting", {}, index ? "" : words)));
    byId("wdl").hidden = rows === 1;
  }

  /** @param {any} message the server's `lines` @param {string} fen the position they start from */
  show(message, fen) {
    this.lines = message.lines;
    const { depth, nodes, nps } = message;
    byId("engine-effort").textContent = `depth ${depth}`;
    byId("engine-effort").title = `${short(nodes)} nodes${nps ? `, ${short(nps)} per second` : ""}`;
    if (this.list.querySelector(".waiting")) this.list.replaceChildren();
    while (this.list.children.length > this.lines.length) this.list.lastElementChild.remove();
    this.lines.forEach((line, index) => this.renew(line, index, fen));
    const [best] = this.lines;
    if (!best) return;
    showGauge(best.score, best.wdl);
    showChances(best.wdl);
  }

  /** Brings one row up to date, and leaves the focus where it is. @param {Line} line @param {number} index @param {string} fen */
  renew(line, index, fen) {
    const old = this.list.children[index];
    const focused = old?.contains(document.activeElement);
    const row = this.row(line, index, fen);
    if (old) old.replaceWith(row);
    else this.list.append(row);
    if (focused) row.querySelector("button")?.focus();
  }

  /** @param {Line} line @param {number} rank @param {string} fen */
  row(line, rank, fen) {
    const white = (line.score.mate ?? line.score.cp ?? 0) >= 0;
    const words = [];
    let black = turnOf(fen) === "black";
    let number = Number(fen.split(" ")[5] || 1);
    line.san.slice(0, SHOWN).forEach((san, index) => {
      if (!black) words.push(h("span.faint", {}, ` ${number}.`));
      else if (index === 0) words.push(h("span.faint", {}, ` ${numberOf(fen)}`));
      words.push(h("button", { type: "button", tabindex: index ? "-1" : "0", "data-line": rank, "data-move": index }, san), " ");
      if (black) number += 1;
      black = !black;
    });
    return h("li", {}, h("span", { class: `score ${white ? "white" : "black"}` }, scoreText(line.score)), h("span.text", {}, ...words));
  }
}

/** @param {import("./chess.js").Score} score @param {number[]} [wdl] */
export function showGauge(score, wdl) {
  const gauge = byId("gauge");
  const share = Math.min(0.98, Math.max(0.02, shareOf(score, wdl)));
  const white = gauge.querySelector("div");
  white.style.height = `${share * 100}%`;
  white.style.setProperty("--share", `${share * 100}%`);
  gauge.querySelector("span").textContent = score.cp ? (Math.abs(score.cp) / 100).toFixed(1) : scoreText(score).replace("−", "");
  gauge.classList.toggle("black-ahead", share < 0.5);
  gauge.setAttribute("aria-valuenow", String(Math.round(share * 100)));
  gauge.setAttribute("aria-valuetext", `${scoreText(score)} for White`);
}

/** Leaves the bar in the middle, without a number. */
export function clearGauge() {
  showGauge({ cp: 0 });
  byId("gauge").querySelector("span").textContent = "";
  byId("gauge").setAttribute("aria-valuetext", "not evaluated");
}

/** @param {number[]|undefined} wdl */
function showChances(wdl) {
  const bar = byId("wdl");
  bar.hidden = !wdl;
  if (!wdl) return;
  const percent = wdl.map((part) => Math.round(part / 10));
  [...bar.children].forEach((part, index) => {
    part.style.width = `${wdl[index] / 10}%`;
    part.textContent = percent[index] >= 12 ? `${percent[index]} %` : "";
  });
  const words = `White wins ${percent[0]} %, draw ${percent[1]} %, Black wins ${percent[2]} %`;
  bar.setAttribute("aria-label", words);
  bar.title = words;
}
