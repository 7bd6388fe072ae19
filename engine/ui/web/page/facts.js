/** The terms of the evaluation of a position, and what each piece is worth. */

import { pawns } from "./chess.js";
import { byId, h } from "./dom.js";

const TERMS = 8; // terms of the evaluation

export class Facts {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    /** @type {any} */
    this.facts = null;
    byId("show-worths").addEventListener("change", () => this.showWorths());
    this.clear();
  }

  clear() {
    this.facts = null;
    byId("terms").replaceChildren(h("p.faint", {}, "Switch the engine on to see the terms of the evaluation."));
    this.showWorths();
  }

  /** @param {any} facts the server's message */
  show(facts) {
    this.facts = facts;
    this.showTerms(facts.terms ?? []);
    this.showWorths();
  }

  /** The rows that are shown on request. @param {any[]} rows */
  more(rows) {
    return rows.length ? [h("details", {}, h("summary.faint", {}, `${rows.length} more`), h("table", {}, h("tbody", {}, ...rows)))] : [];
  }

  /** @param {{name: string, words: string, cp: number}[]} terms White's centipawns */
  showTerms(terms) {
    const most = Math.max(50, ...terms.map(({ cp }) => Math.abs(cp)));
    const rows = terms.map(({ name, words, cp }) => {
      const bar = h(`i${cp < 0 ? ".black" : ""}`);
      const width = (Math.abs(cp) / most) * 50;
      bar.style.left = `${cp < 0 ? 50 - width : 50}%`;
      bar.style.width = `${width}%`;
      return h("tr", { title: name }, h("td", {}, words || name), h("td.share", {}, h("div.balance", {}, bar)), h("td.number", {}, pawns(cp)));
    });
    const head = h("thead", {}, h("tr", {}, h("th", {}, "Term"), h("th", {}, "← Black · White →"), h("th.number", {}, "Pawns")));
    if (!rows.length) {
      byId("terms").replaceChildren(h("p.faint", {}, "The position is balanced in every term."));
      return;
    }
    byId("terms").replaceChildren(h("table", {}, head, h("tbody", {}, ...rows.slice(0, TERMS))), ...this.more(rows.slice(TERMS)));
  }

  showWorths() {
    const pieces = byId("show-worths").checked ? this.facts?.pieces ?? [] : [];
    this.board.showWorths(pieces.map((/** @type {any} */ { square, piece, worth }) => ({
      square, text: (Math.abs(worth) / 100).toFixed(1), good: piece === piece.toUpperCase(),
    })));
  }
}
