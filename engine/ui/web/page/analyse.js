/** The view for analysing positions and games. */

import { annotateNode, Annotator, showPlayers } from "./annotate.js";
import { Board } from "./board.js";
import { readMove, spoken } from "./chess.js";
import { announce, byId, copy, download, h, toast } from "./dom.js";
import { Facts } from "./facts.js";
import { Graph } from "./graph.js";
import { clearGauge, Lines, showGauge } from "./lines.js";
import { fillSteps, MoveList } from "./moves.js";
import { Record as GameRecord } from "./record.js";
import { keep, recall } from "./store.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {import("./record.js").Node} Node */

export class AnalyseView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.talk = app.talk;
    this.active = false;
    this.asleep = false;
    this.asked = 0;
    this.flipped = false;
    /** The text that was loaded, as long as nothing was added to it. @type {string|null} */
    this.source = null;
    this.board = new Board(byId("analyse-board"), { label: "Analysis board", onMove: (uci) => this.play([uci]) });
    this.list = new MoveList(byId("analyse-moves"), { go: (node) => this.go(node), empty: "Move the pieces or load a game.", values: true });
    this.lines = new Lines({ follow: (uci) => this.play(uci) });
    this.facts = new Facts({ board: this.board, play: (uci) => this.play([uci]) });
    this.graph = new Graph(byId("graph"), { go: (node) => this.go(node) });
    this.annotator = new Annotator(this.talk, {
      text: () => this.pgn(), begin: () => this.stopThinking("The engine is annotating."), done: (message) => this.takeAnnotated(message), end: () => this.think(),
    });
    this.record = new GameRecord();
    this.node = this.record.root;
    byId("engine-on").checked = recall("engine", true);
    byId("engine-lines").value = recall("multipv", 3);
    this.lines.clear("");
    this.bind();
    this.recallGame();
  }

  bind() {
    fillSteps(byId("analyse-steps"), this.steps());
    const clicks = {
      "analyse-load": () => this.askLoad(),
      "analyse-annotate": () => this.annotate(),
      "analyse-play": () => this.app.playFrom(this.node.fen),
      "analyse-watch": () => this.app.watch(this.node.fen, this.record.chess960),
      "analyse-new": () => this.open(new GameRecord(), 0, false),
      "analyse-copy-pgn": () => copy(this.pgn(), "PGN"),
      "analyse-copy-fen": () => copy(this.node.fen, "FEN"),
      "analyse-save": () => download(this.pgn(), "analysis.pgn"),
    };
    for (const [id, act] of Object.entries(clicks)) byId(id).addEventListener("click", act);
    byId("engine-on").addEventListener("change", () => { keep("engine", byId("engine-on").checked); this.think(); });
    byId("engine-lines").addEventListener("change", () => { keep("multipv", Number(byId("engine-lines").value)); this.think(); });
    byId("analyse-type").addEventListener("submit", (/** @type {Event} */ event) => this.type(event));
    byId("analyse-board").addEventListener("wheel", (/** @type {WheelEvent} */ event) => {
      event.preventDefault();
      if (event.deltaY) this.steps()[event.deltaY > 0 ? "next" : "previous"]();
    }, { passive: false });
    const dialog = byId("load-dialog");
    dialog.addEventListener("close", () => { if (dialog.returnValue === "load") this.load(byId("load-text").value); });
    byId("load-file").addEventListener("change", async () => {
      const [file] = byId("load-file").files;
      if (file) byId("load-text").value = await file.text();
    });
    this.talk.on("welcome", () => this.show());
    this.talk.on("lost", () => { this.asked = 0; });
    this.talk.on("lines", (message) => this.takeLines(message));
    this.talk.on("facts", (message) => { if (message.ask === this.asked) this.takeFacts(message); });
  }

  steps() {
    return {
      first: () => this.go(this.record.root),
      previous: () => this.node.parent && this.go(this.node.parent),
      next: () => this.node.children.length && this.go(this.node.children[0]),
      last: () => this.go(this.record.end(this.node)),
      flip: () => { this.flipped = !this.flipped; this.show(); },
    };
  }

  enter() {
    this.active = true;
    this.show();
  }

  leave() {
    this.active = false;
    this.stopThinking("");
  }

  /** Stops the engine while the page is hidden. @param {boolean} hidden */
  rest(hidden) {
    this.asleep = hidden;
    if (!this.annotator.asked) this.think();
  }

  /** @param {GameRecord} record @param {number} ply @param {boolean} flipped */
  open(record, ply, flipped) {
    this.record = record;
    this.source = null;
    this.flipped = flipped;
    this.node = ply > 0 ? record.main()[ply - 1] ?? record.root : record.root;
    byId("graph-card").hidden = true;
    this.show();
  }

  askLoad() {
    const dialog = byId("load-dialog");
    dialog.returnValue = "";
    dialog.showModal();
    byId("load-text").select();
  }

  /** Loads a PGN or FEN. @param {string} text */
  async load(text) {
    if (!text.trim()) return;
    try {
      const loaded = await this.talk.request("load", { text });
      this.open(new GameRecord(/** @type {any} */ (loaded)), 0, false);
      this.source = loaded.moves.length ? text : null;
      this.showGraph();
      this.keepGame();
      if (loaded.warning) toast(loaded.warning, "bad");
      else announce(loaded.moves.length ? `Loaded a game of ${loaded.moves.length} moves.` : "Loaded a position.");
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  /** Saves the analysed game for the next visit. */
  keepGame() {
    const text = this.pgn();
    keep("analysis", text.length < 200000 ? { text, flipped: this.flipped } : null);
  }

  recallGame() {
    const kept = recall("analysis", null);
    if (!kept) return;
    let first = true;
    this.talk.on("welcome", () => {
      if (first && !this.record.root.children.length && !this.record.start) this.load(kept.text);
      first = false;
    });
  }

  pgn() {
    return this.source ?? this.record.pgn();
  }

  annotate() {
    if (!this.record.root.children.length) toast("There are no moves to annotate yet.");
    else this.annotator.ask();
  }

  /** @param {any} message */
  takeAnnotated(message) {
    const [game] = message.games;
    const main = this.record.main();
    if (!game || game.moves.some((/** @type {any} */ note, /** @type {number} */ index) => main[index]?.san !== note.san)) return;
    game.moves.forEach((/** @type {any} */ note, /** @type {number} */ index) => annotateNode(main[index], note));
    this.source = message.pgn;
    this.keepGame();
    this.showGraph();
    showPlayers(game);
    this.show();
    const count = message.games.length;
    const words = count > 1 ? `${count} games are annotated; the first one is shown, and saving the PGN saves all` : "The game is annotated";
    announce(words);
    toast(words);
  }

  /** Draws the evaluation graph if the moves have scores. */
  showGraph() {
    const main = this.record.main();
    byId("graph-card").hidden = main.filter(({ score }) => score).length < 2;
    byId("players").replaceChildren();
    this.graph.show(main);
    this.graph.point(this.node);
  }

  /** @param {any} message */
  takeLines(message) {
    if (message.ask !== this.asked) return;
    if (message.lines.length) this.lines.show(message, this.node.fen);
    else if (message.done) this.lines.clear(this.ending());
    this.showArrows();
  }

  /** Why there is nothing to analyse. */
  ending() {
    const over = this.node.position?.over;
    if (!over) return "There is nothing to analyse here.";
    if (over.result === "1/2-1/2") showGauge({ cp: 0 });
    else showGauge({ mate: 0, winner: over.result === "1-0" ? "white" : "black" });
    return `The game is over, ${over.result.replace("1/2-1/2", "½–½").replace("-", "–")}: ${over.reason}.`;
  }

  /** @param {any} message */
  takeFacts(message) {
    if (message.opening && this.node.opening === undefined) this.node.opening = message.opening;
    this.facts.show(this.node.position?.over ? { ...message, table: null } : message);
    this.showOpening();
  }

  showArrows() {
    const shown = recall("arrows", true) ? this.lines.lines : [];
    this.board.arrows.show(shown.filter(({ uci }) => uci.length).map(({ uci }, index) => ({
      from: uci[0].slice(0, 2), to: uci[0].slice(2, 4), type: index ? "other" : "best", strength: index ? 0.5 : 1,
    })));
  }

  /** @param {Node} node */
  go(node) {
    if (node === this.node) return;
    this.node = node;
    this.show();
    if (node.san) announce(spoken(node.san));
  }

  /** Plays moves from here, in the main line or as a variation. @param {string[]} moves */
  async play(moves) {
    let { node } = this;
    try {
      for (const uci of moves) {
        const known = node.children.find((child) => child.uci === uci);
        node = known ?? await this.extend(node, uci);
      }
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
      this.board.restore();
    }
    this.go(node);
  }

  /** @param {Node} node @param {string} uci */
  async extend(node, uci) {
    const fields = this.record.positionFields(node);
    const position = node.position ?? await this.talk.request("position", fields);
    const san = /** @type {any} */ (position).san[uci] ?? uci;
    const after = await this.talk.request("position", { ...fields, moves: [...fields.moves, uci] });
    const child = this.record.add(node, { san, uci, fen: after.fen, opening: after.opening });
    child.position = /** @type {any} */ (after);
    this.source = null;
    return child;
  }

  /** @param {Event} event */
  type(event) {
    event.preventDefault();
    const field = byId("analyse-text");
    const uci = this.node.position ? readMove(field.value, this.node.position) : null;
    if (uci) this.play([uci]);
    else if (field.value.trim()) toast(`“${field.value.trim()}” is not a legal move here.`);
    if (uci) field.value = "";
  }

  /** Shows the node, requests its legal moves, and has it analysed. */
  show() {
    this.showNode();
    if (!this.active) return;
    this.loadPosition();
    if (!this.annotator.asked) this.think();
  }

  showBoard() {
    const { node } = this;
    this.board.flip(this.flipped);
    byId("gauge").classList.toggle("flipped", this.flipped);
    const { position } = node;
    this.board.show({
      fen: node.fen, last: node.uci ?? null, check: position?.check ?? null, legal: position?.legal ?? {},
      promotions: position?.promotions ?? [], movable: position ? "both" : null,
    });
  }

  showNode() {
    const { node, record } = this;
    this.showBoard();
    this.list.show(record, node);
    this.graph.point(node);
    this.showOpening();
    const remarks = [node.reason, node.better && `Better: ${node.better}`].filter(Boolean);
    byId("analyse-comment").replaceChildren(...remarks.map((words) => h("p", {}, words ?? "")));
    byId("analyse-comment").hidden = !remarks.length;
    if (node.score) showGauge(node.score);
    else if (!this.asked) clearGauge();
    for (const button of byId("analyse-steps").querySelectorAll("button")) {
      const back = ["first", "previous"].includes(button.dataset.step);
      const on = ["next", "last"].includes(button.dataset.step);
      button.disabled = (back && !node.parent) || (on && !node.children.length);
    }
  }

  showOpening() {
    const opening = this.record.openingAt(this.node);
    byId("analyse-opening").textContent = opening ? `${opening.code} ${opening.name}` : "";
    const { White, Black, Event } = this.record.headers;
    byId("analyse-headline").textContent = White || Black ? `${White ?? "?"} – ${Black ?? "?"}` : Event ?? "Analysis board";
  }

  async loadPosition() {
    const { node } = this;
    if (node.position || !this.talk.ready) return;
    try {
      const position = await this.talk.request("position", this.record.positionFields(node));
      node.position = /** @type {any} */ (position);
      if (position.opening) node.opening ??= position.opening;
      if (this.node !== node) return;
      this.showBoard();
      this.showOpening();
    } catch (error) {
      if (this.talk.ready) toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  /** Has the engine analyse the position, or stops it if it is switched off. */
  think() {
    const shouldThink = this.active && !this.asleep && byId("engine-on").checked;
    if (!shouldThink) {
      this.stopThinking(byId("engine-on").checked ? "" : "The engine is off.");
      return;
    }
    this.lines.clear("Thinking …");
    this.showArrows();
    this.asked = this.talk.send("analyse", { ...this.record.positionFields(this.node), multipv: Number(byId("engine-lines").value) });
  }

  /** @param {string} words why nothing is shown */
  stopThinking(words) {
    if (this.asked) this.talk.send("stop", { job: "analyse" });
    this.asked = 0;
    this.lines.clear(words);
    this.showArrows();
    this.facts.clear();
  }
}
