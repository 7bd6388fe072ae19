/** The view that shows several searches thinking about the same position, side by side. */

import { Board } from "./board.js";
import { isChess960, percent, plyOf, scoreText, short, START, turnOf } from "./chess.js";
import { byId, h, toast } from "./dom.js";
import { Quiz } from "./quiz.js";
import { playMoveSound } from "./sound.js";

/** @typedef {import("./main.js").App} App */

const PRESETS = [
  ["Starting position", START],
  ["Tactics everywhere", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"],
  ["Mate in two", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"],
  ["King and pawn", "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1"],
  ["A quiet middlegame", "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"],
];
const BARS = 6; // root moves whose visits are shown
const LINE = 12; // moves of a line

/** A line with its move numbers: "9. Nc3 d5 10. e4". @param {string} fen @param {string[]} line */
function numbered(fen, line) {
  const first = plyOf(fen);
  return line.slice(0, LINE).map((san, index) => {
    const number = Math.floor((first + index) / 2) + 1;
    return (first + index) % 2 === 0 ? `${number}.\u00a0${san}` : index === 0 ? `${number}...\u00a0${san}` : san;
  }).join(" ");
}

/** What a search that deepens step by step found at its last depths. @param {{depth: number, san: string, score: any}[]} depths */
function iterations(depths) {
  return depths.flatMap(({ depth, san, score }) => [h("span.faint", {}, `depth ${depth}`), h("span", {}, san), h("span.number", {}, scoreText(score))]);
}

export class WatchView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.connection = app.connection;
    this.active = false;
    this.requestNumber = 0;
    this.fen = START;
    this.chess960 = false;
    this.flipped = false;
    /** @type {any} */
    this.position = null;
    /** @type {{name: string, title: string, about: string}[]} */
    this.modes = [];
    /** @type {Map<string, Record<string, HTMLElement>>} */
    this.cards = new Map();
    /** @type {Set<string>} */
    this.busy = new Set();
    this.board = new Board(byId("watch-board"), { label: "Position to search", onMove: (uci) => this.move(uci) });
    /** @type {import("./searchtree.js").SearchTree|null} */
    this.searchTree = null;
    this.quiz = new Quiz(app.connection);
    byId("tree-card").after(this.quiz.card);
    this.bind();
    this.show();
  }

  bind() {
    byId("watch-preset").replaceChildren(...PRESETS.map(([name, fen]) => h("option", { value: fen }, name)), h("option", { value: "" }, "Custom"));
    byId("watch-preset").addEventListener("change", () => { if (byId("watch-preset").value) this.open(byId("watch-preset").value, false); });
    byId("watch-fen").addEventListener("change", () => this.openTyped());
    byId("watch-form").addEventListener("submit", (/** @type {Event} */ event) => { event.preventDefault(); this.start(); });
    byId("watch-flip").addEventListener("click", () => this.steps().flip());
    byId("watch-stop").addEventListener("click", () => this.stop());
    byId("tree-draw").addEventListener("click", () => this.drawTree());
    byId("tree-depth").addEventListener("change", () => { if (this.searchTree?.drawn) this.drawTree(); });
    this.connection.on("welcome", ({ modes }) => { this.setModes(modes); if (this.active) this.loadPosition(); });
    this.connection.on("watched", (message) => this.take(message));
    this.connection.on("disconnected", () => this.finish());
    this.connection.on("error", ({ request }) => { if (request === this.requestNumber) this.finish(); });
  }

  openTyped() {
    const fen = byId("watch-fen").value.trim() || START;
    this.open(fen, isChess960(fen));
  }

  steps() {
    return { flip: () => { this.flipped = !this.flipped; this.show(); } };
  }

  enter() {
    this.active = true;
    this.show();
    this.loadPosition();
  }

  leave() {
    this.active = false;
    this.stop();
  }

  /** @param {{name: string, title: string, about: string}[]} modes */
  setModes(modes) {
    if (this.modes.length) return;
    this.modes = modes;
    const ticks = modes.map(({ name, title }) =>
      h("label.switch", {}, h("input", { type: "checkbox", value: name, checked: true }), h("span", {}, title)));
    byId("watch-modes").append(...ticks);
    byId("watch-modes").addEventListener("change", () => this.showCards());
    for (const mode of modes) this.cards.set(mode.name, this.card(mode));
    this.showCards();
  }

  chosen() {
    const boxes = [...byId("watch-modes").querySelectorAll("input:checked")];
    return boxes.map((box) => box.value);
  }

  showCards() {
    byId("watch-cards").replaceChildren(...this.chosen().map((name) => this.cards.get(name)?.element));
  }

  /** @param {{name: string, title: string, about: string}} mode @returns {any} */
  card({ name, title, about }) {
    const parts = {
      score: h("span.score"), state: h("span.state", {}, ""), line: h("p.line"), visits: h("div.visits"), iterations: h("div.iterations"),
      depth: h("dd", {}, "–"), nodes: h("dd", {}, "–"), seconds: h("dd", {}, "–"),
    };
    const number = (/** @type {string} */ label, /** @type {HTMLElement} */ value) => h("div", {}, h("dt", {}, label), value);
    const element = h("article.card.mode", { "aria-labelledby": `mode-${name}`, "data-mode": name },
      h("header", {}, h("h2", { id: `mode-${name}` }, title), parts.score),
      h("p.about", {}, about),
      h("dl.numbers", {}, number("Depth", parts.depth), number("Nodes", parts.nodes), number("Seconds", parts.seconds)),
      parts.line, parts.visits, parts.iterations, parts.state);
    return { ...parts, element };
  }

  /** Sets the position to search. @param {string} fen @param {boolean} chess960 */
  open(fen, chess960) {
    this.stop();
    this.fen = fen;
    this.chess960 = chess960;
    this.flipped = turnOf(fen) === "black";
    this.position = null;
    this.searchTree?.clear();
    for (const card of this.cards.values()) this.blank(card);
    this.show();
    if (this.active) this.loadPosition();
  }

  /** @param {any} card */
  blank(card) {
    for (const name of ["depth", "nodes", "seconds"]) card[name].textContent = "–";
    for (const name of ["score", "line", "state"]) card[name].textContent = "";
    card.visits.replaceChildren();
    card.iterations.replaceChildren();
  }

  positionFields() {
    return { start: this.fen === START ? null : this.fen, chess960: this.chess960, moves: [] };
  }

  async loadPosition() {
    if (this.position || !this.connection.ready) return;
    const { fen } = this;
    try {
      const position = await this.connection.request("position", this.positionFields());
      if (fen !== this.fen) return;
      this.position = position;
      this.show();
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "error");
    }
  }

  /** @param {string} uci */
  async move(uci) {
    try {
      const san = this.position.san[uci] ?? "";
      const after = await this.connection.request("position", { ...this.positionFields(), moves: [uci] });
      const { flipped } = this;
      this.open(after.fen, this.chess960);
      this.flipped = flipped;
      this.show();
      playMoveSound(san);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "error");
      this.board.restore();
    }
  }

  show() {
    const { position, fen } = this;
    this.board.flip(this.flipped);
    this.board.show({
      fen, check: position?.check ?? null, legal: position?.legal ?? {}, promotions: position?.promotions ?? [], movable: position ? "both" : null,
    });
    byId("watch-fen").value = fen;
    byId("watch-preset").value = PRESETS.some(([, known]) => known === fen) ? fen : "";
  }

  start() {
    const modes = this.chosen();
    if (!modes.length) {
      toast("Choose at least one search mode.");
      return;
    }
    for (const name of modes) {
      this.blank(this.cards.get(name));
      /** @type {any} */ (this.cards.get(name)).state.textContent = "waiting";
    }
    this.requestNumber = this.connection.send("watch", { ...this.positionFields(), modes, movetime: Number(byId("watch-time").value) });
    if (!this.requestNumber) return;
    this.busy = new Set(modes);
    byId("watch-stop").hidden = false;
    byId("watch-start").disabled = true;
  }

  stop() {
    if (this.busy.size) this.connection.send("stop", { job: "watch" });
    this.finish();
  }

  finish() {
    for (const name of this.busy) /** @type {any} */ (this.cards.get(name)).state.textContent = "stopped";
    this.busy.clear();
    byId("watch-stop").hidden = true;
    byId("watch-start").disabled = false;
  }

  /** @param {any} message */
  take(message) {
    const card = /** @type {any} */ (this.cards.get(message.mode));
    if (message.request !== this.requestNumber || !card) return;
    card.score.textContent = scoreText(message.score);
    card.depth.textContent = message.depth ?? "–";
    card.nodes.textContent = short(message.nodes);
    card.seconds.textContent = message.seconds.toFixed(1);
    const line = message.line ?? [];
    card.line.textContent = numbered(this.fen, line);
    card.visits.replaceChildren(...this.bars(message.visits ?? []));
    card.iterations.replaceChildren(...iterations(message.depths ?? []));
    card.state.textContent = message.done ? "finished" : "searching …";
    if (!message.done) return;
    this.busy.delete(message.mode);
    if (!this.busy.size) this.finish();
  }

  /** @param {{san: string, share: number}[]} visits */
  bars(visits) {
    const sorted = [...visits].sort((a, b) => b.share - a.share).slice(0, BARS);
    return sorted.flatMap(({ san, share }) => {
      const bar = h("div.meter");
      bar.style.width = `${(share / sorted[0].share) * 100}%`;
      return [h("span", {}, san), h("div", {}, bar), h("span.number", {}, percent(share))];
    });
  }

  async drawTree() {
    const depth = Number(byId("tree-depth").value);
    byId("tree-draw").disabled = true;
    try {
      const tree = await this.connection.request("tree", { ...this.positionFields(), depth });
      this.searchTree ??= new (await import("./searchtree.js")).SearchTree(byId("tree"));
      this.searchTree.show(tree.nodes, tree.turn ?? turnOf(this.fen));
      byId("tree-width").textContent = tree.width ? `Here only the ${tree.width} most promising moves of each position are searched.` : "";
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "error");
    }
    byId("tree-draw").disabled = false;
  }
}
