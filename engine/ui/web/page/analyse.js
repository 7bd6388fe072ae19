/** The view for analysing positions and games. */

import { Annotator, showPlayers } from "./annotate.js";
import { Board } from "./board.js";
import { readMove, spoken } from "./chess.js";
import { announce, byId, copy, download, toast } from "./dom.js";
import { MoveEditor } from "./edit.js";
import { Facts } from "./facts.js";
import { fenProblem, looksLikeFen, needsChess960 } from "./fen.js";
import { Graph } from "./graph.js";
import { clearGauge, Lines, showGauge } from "./lines.js";
import { enableSteps, fillSteps, MoveList } from "./moves.js";
import { readGame, splitGames } from "./pgn.js";
import { Record as GameRecord } from "./record.js";
import { keep, keepHere, recall, recallHere } from "./store.js";
import { Study } from "./study.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {import("./record.js").Node} Node */

const LARGEST = 40; // megabytes of a file

export class AnalyseView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.talk = app.talk;
    this.active = false;
    this.asleep = false;
    this.asked = 0;
    this.study = new Study({ changed: () => this.save() });
    this.board = new Board(byId("analyse-board"), { label: "Analysis board", onMove: (uci) => this.play([uci]) });
    this.list = new MoveList(byId("analyse-moves"), { go: (node) => this.go(node), empty: "Move the pieces or load a game.", values: true });
    this.editor = new MoveEditor(this.study, { show: () => this.show(), remove: () => this.remove() });
    this.lines = new Lines({ follow: (uci) => this.play(uci) });
    this.facts = new Facts({ board: this.board, play: (uci) => this.play([uci]) });
    this.graph = new Graph(byId("graph"), { go: (node) => this.go(node) });
    this.annotator = new Annotator(this.talk, {
      text: () => this.pgn(), begin: () => this.stopThinking("The engine is annotating."), done: (message) => this.takeAnnotated(message), end: () => this.think(),
    });
    byId("engine-on").checked = recall("engine", true);
    byId("engine-lines").value = recall("multipv", 3);
    this.lines.clear("");
    this.bind();
    this.recallStudy();
  }

  get record() {
    return this.study.record;
  }

  get node() {
    return this.study.node;
  }

  bind() {
    fillSteps(byId("analyse-steps"), this.steps());
    const clicks = {
      "analyse-load": () => this.askLoad(),
      "analyse-annotate": () => this.annotate(),
      "analyse-play": () => this.app.playFrom(this.node.fen),
      "analyse-watch": () => this.app.watch(this.node.fen, this.record.chess960),
      "analyse-new": () => this.open(new GameRecord()),
      "analyse-copy-pgn": () => copy(this.pgn(), "PGN"),
      "analyse-copy-fen": () => copy(this.node.fen, "FEN"),
      "analyse-save": () => download(this.pgn(), "analysis.pgn"),
    };
    for (const [id, act] of Object.entries(clicks)) byId(id).addEventListener("click", () => { byId("analyse-more").open = false; act(); });
    byId("engine-on").addEventListener("change", () => { keep("engine", byId("engine-on").checked); this.think(); });
    byId("engine-lines").addEventListener("change", () => { keep("multipv", Number(byId("engine-lines").value)); this.think(); });
    byId("analyse-type").addEventListener("submit", (/** @type {Event} */ event) => this.type(event));
    byId("analyse-board").addEventListener("wheel", (/** @type {WheelEvent} */ event) => {
      event.preventDefault();
      if (event.deltaY) this.steps()[event.deltaY > 0 ? "next" : "previous"]();
    }, { passive: false });
    const dialog = byId("load-dialog");
    dialog.addEventListener("close", () => { if (dialog.returnValue === "load") this.load(byId("load-text").value); });
    byId("load-file").addEventListener("change", () => {
      const [file] = byId("load-file").files;
      byId("load-file").value = "";
      dialog.close("file");
      if (file) this.loadFile(file);
    });
    this.talk.on("welcome", () => this.show());
    this.talk.on("lost", () => { this.asked = 0; });
    this.talk.on("lines", (message) => this.takeLines(message));
    this.talk.on("facts", (message) => { if (message.ask === this.asked) this.takeFacts(message); });
  }

  /** What the keys and the buttons below the board do. */
  steps() {
    const { study } = this;
    return {
      first: () => this.go(this.record.root),
      previous: () => this.node.parent && this.go(this.node.parent),
      next: () => this.node.children.length && this.go(this.node.children[0]),
      last: () => this.go(this.record.end(this.node)),
      flip: () => { study.flipped = !study.flipped; this.save(); this.show(); },
      above: () => this.goAside(-1),
      below: () => this.goAside(1),
      out: () => this.go(this.record.branch(this.node)?.parent ?? this.record.root),
      delete: () => this.remove(),
      undo: () => this.undo(),
      comment: () => byId("note").focus(),
    };
  }

  /** Goes to the line above or below; from a fork, into its next line. @param {number} by */
  goAside(by) {
    const siblings = this.study.siblings();
    const next = siblings[siblings.indexOf(this.node) + by] ?? (by > 0 ? this.node.children[1] : undefined);
    if (next) this.go(next);
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

  /** @param {GameRecord} record @param {{steps?: number[], flipped?: boolean, game?: number|null}} [place] */
  open(record, place) {
    this.editor.store();
    this.study.open(record, place);
    this.show();
  }

  askLoad() {
    const dialog = byId("load-dialog");
    dialog.returnValue = "";
    dialog.showModal();
    byId("load-text").select();
  }

  /** @param {File} file */
  async loadFile(file) {
    if (file.size > LARGEST * 1e6) toast(`${file.name} has ${Math.round(file.size / 1e6)} MB. The page opens files of up to ${LARGEST} MB.`, "bad");
    else this.load(await file.text());
  }

  /** Loads a PGN or FEN; what is open stays open if the text is neither. @param {string} text */
  load(text) {
    if (!text.trim()) return;
    try {
      const { record, problem } = looksLikeFen(text) ? { record: positionRecord(text), problem: null } : firstGame(text);
      this.open(record);
      const count = record.main().length;
      if (problem) toast(problem, "bad");
      else announce(count ? `Loaded a game of ${Math.ceil(count / 2)} moves.` : "Loaded a position.");
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  /** Saves what is studied for the next visit. */
  save() {
    if (keepHere("study", this.study.snapshot()) || this.warned) return;
    this.warned = true;
    toast("The browser has no room to keep this game: save it as a file.", "bad");
  }

  recallStudy() {
    const kept = recallHere("study", null);
    if (kept) this.study.restore(kept);
  }

  pgn() {
    this.editor.store();
    return this.study.pgn();
  }

  annotate() {
    if (!this.record.root.children.length) toast("There are no moves to annotate yet.");
    else this.annotator.ask();
  }

  /** @param {any} message */
  takeAnnotated(message) {
    const { record } = readGame(splitGames(message.pgn)[0]);
    const [{ players }] = message.games;
    for (const side of ["white", "black"]) record.headers[`${side === "white" ? "White" : "Black"}Accuracy`] = String(players[side].accuracy);
    this.study.open(record, { steps: this.record.steps(this.node), flipped: this.study.flipped, game: this.study.game });
    this.show();
    announce("The game is annotated");
    toast("The game is annotated");
  }

  /** Deletes the current move and all that follows it. */
  remove() {
    if (!this.node.parent) return;
    const words = `${this.node.san} and the moves after it are deleted`;
    this.study.remove();
    this.show();
    toast(words, "calm", { label: "Undo", act: () => this.undo() });
  }

  undo() {
    const words = this.study.undo();
    if (words === null) return;
    this.show();
    toast(`${words} ${words.endsWith("s") ? "are" : "is"} back`);
  }

  /** Draws the evaluation graph if the moves have scores. */
  showGraph() {
    const main = this.record.main();
    byId("graph-card").hidden = main.filter(({ score }) => score).length < 2;
    this.graph.show(this.record);
    showPlayers(this.record);
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
    const { over } = this.record.positionAt(this.node);
    if (!over) return "There is nothing to analyse here.";
    if (over.result === "1/2-1/2") showGauge({ cp: 0 });
    else showGauge({ mate: 0, winner: over.result === "1-0" ? "white" : "black" });
    return `The game is over, ${over.result.replace("1/2-1/2", "½–½").replace("-", "–")}: ${over.reason}.`;
  }

  /** @param {any} message */
  takeFacts(message) {
    this.facts.show(this.record.positionAt(this.node).over ? { ...message, table: null } : message);
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
    this.editor.store();
    this.study.node = node;
    this.save();
    this.show();
    if (node.san) announce(spoken(node.san));
  }

  /** Plays moves from here, in the main line or as a variation. @param {string[]} moves */
  play(moves) {
    this.editor.store();
    const from = this.node;
    const legal = moves.every((uci) => this.study.play(uci));
    if (!legal) this.board.restore();
    if (this.node === from) return;
    this.save();
    this.show();
    announce(spoken(this.node.san ?? ""));
  }

  /** @param {Event} event */
  type(event) {
    event.preventDefault();
    const field = byId("analyse-text");
    const uci = readMove(field.value, this.record.positionAt(this.node));
    if (uci) this.play([uci]);
    else if (field.value.trim()) toast(`“${field.value.trim()}” is not a legal move here.`);
    if (uci) field.value = "";
  }

  /** Shows the node, looks up its opening, and has it analysed. */
  show() {
    this.showNode();
    if (!this.active) return;
    this.lookUp();
    if (!this.annotator.asked) this.think();
  }

  showBoard() {
    const { node, study } = this;
    this.board.flip(study.flipped);
    byId("gauge").classList.toggle("flipped", study.flipped);
    const { check, legal, promotions } = this.record.positionAt(node);
    this.board.show({ fen: node.fen, last: node.uci ?? null, check, legal, promotions, movable: "both" });
  }

  showNode() {
    const { node, record } = this;
    this.showBoard();
    this.list.show(record, node);
    this.editor.refresh();
    if (this.drawn !== `${record.version}` || this.drawnRecord !== record) this.showGraph();
    [this.drawn, this.drawnRecord] = [`${record.version}`, record];
    this.graph.point(node);
    this.showOpening();
    if (node.score) showGauge(node.score);
    else if (!this.asked) clearGauge();
    enableSteps(byId("analyse-steps"), Boolean(node.parent), node.children.length > 0);
  }

  showOpening() {
    const opening = this.record.openingAt(this.node);
    byId("analyse-opening").textContent = opening ? `${opening.code} ${opening.name}` : "";
    const { White, Black, Event } = this.record.headers;
    const named = [White, Black].some((name) => name && name !== "?");
    byId("analyse-headline").textContent = named ? `${White ?? "?"} – ${Black ?? "?"}` : Event && Event !== "?" ? Event : "Analysis board";
  }

  /** Asks for the name of the opening. */
  async lookUp() {
    const { node, record } = this;
    if (node.opening !== undefined || !this.talk.ready) return;
    try {
      const { opening } = await this.talk.request("position", record.positionFields(node));
      node.opening = opening;
      if (this.node === node) this.showOpening();
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

/** @param {string} text a FEN */
function positionRecord(text) {
  const problem = fenProblem(text);
  if (problem) throw new Error(`This is not a possible position. ${problem}`);
  return readGame({ headers: { FEN: text.trim(), ...(needsChess960(text) ? { Variant: "Chess960" } : {}) }, text: "" }).record;
}

/** @param {string} text */
function firstGame(text) {
  const [first] = splitGames(text);
  if (!first) throw new Error("This is neither a game in PGN nor a position in FEN.");
  return readGame(first);
}
