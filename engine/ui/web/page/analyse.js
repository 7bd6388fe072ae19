/** The view for analysing positions and games. */

import { annotatedRecord, Annotator, showPlayers, summaryOf } from "./annotate.js";
import { Board } from "./board.js";
import { Coach, nextOf, showSummary } from "./coach.js";
import { readMove, spoken } from "./chess.js";
import { announce, byId, copy, download, toast } from "./dom.js";
import { MoveEditor } from "./moveeditor.js";
import { LiveEngine } from "./engine.js";
import { Explorer } from "./explorer.js";
import { looksLikeFen } from "./fen.js";
import { Graph } from "./graph.js";
import { Games } from "./games.js";
import { clearGauge, showGauge } from "./lines.js";
import { LoadDialog } from "./loaddialog.js";
import { enableSteps, fillSteps, MoveList } from "./moves.js";
import { arrowsOf, positionRecord, readGame, writeGame } from "./pgn.js";
import { GameRecord } from "./record.js";
import { splitGames } from "./split.js";
import { saveTabValue, loadTabValue } from "./store.js";
import { Study } from "./study.js";
import { Tabs } from "./tabs.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {import("./record.js").Node} Node */

const LARGEST = 40, LONGEST_FEN = 200; // megabytes of a file; characters
const QUICK = 120; // milliseconds between two steps, below which the first is not analysed

export class AnalyseView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.connection = app.connection;
    this.active = false;
    this.asleep = false;
    this.study = new Study({ changed: () => this.save() });
    this.board = new Board(byId("analyse-board"), { label: "Analysis board", onMove: (uci) => this.play([uci]), onDraw: (...drawn) => this.drawArrow(...drawn) });
    this.coach = new Coach(this.connection, this.study, { board: this.board, isFree: () => !this.practice?.isOn });
    this.list = new MoveList(byId("analyse-moves"), { go: (node) => { this.go(node); this.coach.explainMove(); }, empty: "Move the pieces or load a game.", values: true });
    this.editor = new MoveEditor(this.study, { show: () => this.show(), remove: () => this.remove() });
    this.engine = new LiveEngine(this.connection, this.study, { board: this.board, follow: (uci) => this.play(uci), isFree: () => this.active && !this.asleep && !this.annotator.requestNumber && !this.practice?.isOn });
    this.graph = new Graph(byId("graph"), { go: (node) => this.go(node) });
    this.annotator = new Annotator(this.connection, {
      games: (all) => this.gamesToAnnotate(all), begin: () => this.engine.stop("The engine is annotating."),
      done: (job, message) => this.takeAnnotated(job, message), end: () => this.engine.think(),
    });
    this.games = new Games(this.connection, { open: (entry, gameId) => this.openGame(entry, gameId), goTo: (ply) => this.go(this.record.main()[ply] ?? this.record.root), shown: () => { this.games.mark(this.study.gameId); this.explorer.show(); } });
    this.explorer = new Explorer(this.connection, this.study, { file: () => this.games.file, play: (uci) => this.play([uci]), named: () => this.showOpening(), practise: (name, fields) => this.practiseOpenings(name, fields) });
    this.loadDialog = new LoadDialog((blob, name) => this.load(blob, name));
    this.tabs = new Tabs("panel", ["explorer", "games", "terms-panel"]);
    this.bind();
    this.study.restoreSaved(loadTabValue("study", null));
  }

  get record() {
    return this.study.record;
  }

  get node() {
    return this.study.node;
  }

  bind() {
    fillSteps(byId("analyse-steps"), (name) => this.steps()[name]?.());
    const clicks = {
      "analyse-load": () => this.loadDialog.open(),
      "analyse-annotate": () => this.annotate(),
      "analyse-practise": () => this.practise(),
      "analyse-play": () => this.app.playFrom(this.node.fen),
      "analyse-edit": () => this.edit(),
      "analyse-share": () => this.share(),
      "analyse-watch": () => this.app.watch(this.node.fen, this.record.chess960),
      "analyse-new": () => this.open(new GameRecord()),
      "analyse-copy-pgn": () => copy(this.pgn(), "PGN"),
      "analyse-copy-fen": () => copy(this.node.fen, "FEN"),
      "analyse-save": () => download(this.pgn(), "analysis.pgn"),
    };
    for (const [id, act] of Object.entries(clicks)) byId(id).addEventListener("click", () => { byId("analyse-more").open = false; act(); });
    byId("analyse-type").addEventListener("submit", (/** @type {Event} */ event) => this.type(event));
    byId("analyse-board").addEventListener("wheel", (/** @type {WheelEvent} */ event) => {
      event.preventDefault();
      if (event.deltaY) this.steps()[event.deltaY > 0 ? "next" : "previous"]();
    }, { passive: false });
    this.connection.on("welcome", () => { if (!this.practice?.isOn) this.show(); });
  }

  /** What the keys and the buttons below the board do. */
  steps() {
    const { study, practice } = this;
    if (practice?.isOn) return { flip: () => practice.flip(), hint: () => practice.hint?.() };
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
      nextMistake: () => this.goToMistake(1),
      previousMistake: () => this.goToMistake(-1),
      explain: () => this.coach.explainMove(),
      explainBest: () => this.coach.explainBest(this.engine.lines.lines[0]?.uci[0]),
      comment: () => byId("note").focus(),
      nextGame: () => this.games.step(1),
      previousGame: () => this.games.step(-1),
    };
  }

  /** Goes to the line above or below; from a fork, into its next line. @param {number} by */
  goAside(by) {
    const siblings = this.study.siblings();
    const next = siblings[siblings.indexOf(this.node) + by] ?? (by > 0 ? this.node.children[1] : undefined);
    if (next) this.go(next);
  }

  /** Goes to the next or the previous mistake of the game. @param {number} by */
  goToMistake(by) {
    const found = nextOf(this.record.main().filter(({ mark }) => ["??", "?", "?!"].includes(mark ?? "")), this.node, by);
    if (!found) toast(by > 0 ? "There is no mistake after this move." : "There is no mistake before this move.");
    else { this.go(found); this.coach.explainMove(); }
  }

  enter() {
    const kept = loadTabValue("practice", null);
    this.active = true;
    this.show();
    if (kept) this.practise(kept);
  }

  leave() {
    this.active = false;
    window.clearTimeout(this.timer);
    this.engine.stop("");
  }

  /** Stops the engine while the page is hidden. @param {boolean} hidden */
  rest(hidden) {
    this.asleep = hidden;
    this.engine.think();
  }

  /** @param {GameRecord} record @param {{steps?: number[], flipped?: boolean, gameId?: import("./study.js").GameId|null}} [options] */
  open(record, options) {
    this.editor.store();
    this.study.open(record, options);
    this.show();
  }

  /** Shows a game of a file; returns whether it could be read. @param {import("./split.js").Entry} entry @param {import("./study.js").GameId} gameId */
  openGame(entry, gameId) {
    try {
      const { record, problem } = readGame(entry);
      this.open(record, { gameId, flipped: this.study.flipped });
      if (problem) toast(problem, "error");
      return !problem;
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "error");
      return false;
    }
  }

  /** Loads what was dropped or pasted on the page. @param {Blob} blob @param {string} [name] of the file */
  async receive(blob, name) {
    try {
      await this.load(blob, name);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "error");
    }
  }

  /** Loads games in PGN or a FEN. An Error says why it cannot; what is open then stays open. @param {Blob} blob @param {string} [name] of the file */
  async load(blob, name = "") {
    if (blob.size > LARGEST * 1e6) throw new Error(`${name || "The text"} has ${Math.round(blob.size / 1e6)} MB. The page opens files of up to ${LARGEST} MB.`);
    const fen = blob.size < LONGEST_FEN ? (await blob.text()).trim() : "";
    const entry = looksLikeFen(fen) ? undefined : await this.games.load(blob, name);
    if (entry === null) {
      this.tabs.show("games");
      return;
    }
    const { record, problem } = entry ? readGame(entry) : { record: positionRecord(fen), problem: null };
    this.open(record);
    const count = record.main().length;
    if (problem) toast(problem, "error");
    else announce(count ? `Loaded a game of ${Math.ceil(count / 2)} moves.` : "Loaded a position.");
  }

  /** Saves what is studied for the next visit, and a changed game in its file. */
  save() {
    const { study } = this;
    if (study.gameId && study.isChanged()) this.games.change(study.gameId, study.pgn());
    if (saveTabValue("study", study.snapshot()) || this.warned) return;
    this.warned = true;
    toast("The browser has no room to keep this game: save it as a file.", "error");
  }

  pgn() {
    this.editor.store();
    return this.study.pgn();
  }

  annotate() {
    const count = this.games.isOpen(this.study.gameId) ? this.games.listed().length : 1;
    if (count < 2 && !this.record.root.children.length) toast("There are no moves to annotate yet.");
    else this.annotator.open(count);
  }

  /** @param {boolean} all */
  gamesToAnnotate(all) {
    this.editor.store();
    return all ? this.games.listed() : [{ gameId: this.study.gameId, text: this.pgn() }];
  }

  /** @param {import("./annotate.js").Job} job @param {any} message */
  takeAnnotated({ gameId }, message) {
    const record = annotatedRecord(message);
    const { gameId: here } = this.study;
    if (gameId?.file === here?.file && gameId?.number === here?.number) {
      this.study.remember("The game without annotation");
      this.study.replace(record);
      this.show();
    } else if (gameId) this.games.change(gameId, writeGame(record));
    if (this.annotator.jobs.length > 1) return;
    announce("The game is annotated");
    toast("The game is annotated");
  }

  /** Asks for better moves at the mistakes of the game. @param {import("./practise.js").Progress|null} [kept] of a practice to go on with */
  async practise(kept = null) {
    const { Practice } = await import("./practise.js");
    if (!(this.practice instanceof Practice)) this.practice = new Practice(this.connection, this.board, { done: () => { this.show(); } });
    this.engine.stop("");
    this.practice.start(this.record, this.study.flipped, kept);
  }

  /** Asks the moves of a repertoire. @param {"learn"|"recall"} name @param {Record<string, any>} fields */
  async practiseOpenings(name, fields) {
    const { OpeningPractice } = await import("./repertoire.js");
    this.engine.stop("");
    this.practice?.stop();
    this.practice = new OpeningPractice(this.connection, this.board, { done: () => { this.show(); } });
    this.practice.start(name, fields);
  }

  /** Opens the position editor. */
  async edit() {
    const { Editor } = await import("./positioneditor.js");
    this.setup ??= new Editor({
      analyse: (fen, chess960) => this.open(positionRecord(fen, chess960), { flipped: this.study.flipped }), play: (fen) => this.app.playFrom(fen),
    });
    this.setup.open(this.node.fen, this.record.chess960, this.study.flipped);
  }

  async share() {
    const { Share } = await import("./share.js");
    this.sharing ??= new Share({ board: this.board, study: this.study });
    this.sharing.open();
  }

  /** Opens what a link carries. @param {string} fragment */
  async openLink(fragment) {
    try {
      const { readFragment } = await import("./share.js");
      const found = await readFragment(fragment);
      if (!found) return;
      const record = looksLikeFen(found.text) ? positionRecord(found.text) : readGame(splitGames(found.text)[0] ?? { headers: {}, text: "" }).record;
      this.open(record, { steps: found.steps });
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "error");
    }
  }

  /** Deletes the current move and all that follows it. */
  remove() {
    if (!this.node.parent) return;
    const words = `${this.node.san} and the moves after it are deleted`;
    this.study.remove();
    this.show();
    toast(words, "info", { label: "Undo", act: () => this.undo() });
  }

  undo() {
    const words = this.study.undo();
    if (words === null) return;
    this.show();
    toast(`${words} ${words.endsWith("s") ? "are" : "is"} back`);
  }

  /** Draws the evaluation graph if the moves have scores, and shows what annotation has said of the game. */
  showGraph() {
    const main = this.record.main();
    byId("graph-card").hidden = main.filter(({ score }) => score).length < 2;
    this.graph.show(this.record);
    showSummary(summaryOf(this.record));
    showPlayers(this.record, (own) => { this.go(nextOf(own, this.node, 1) ?? own[0]); this.coach.explainMove(); });
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
    if (this.practice?.isOn) {
      this.practice.attempt(moves[0]);
      return;
    }
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
    const uci = readMove(field.value, this.record.positionAt(this.practice?.asking ?? this.node));
    if (uci) this.play([uci]);
    else if (field.value.trim()) toast(`“${field.value.trim()}” is not a legal move here.`);
    if (uci) field.value = "";
  }

  /** Shows the node, looks up its opening, and has it analysed. */
  show() {
    this.practice?.stop();
    this.showNode();
    if (!this.active) return;
    this.explorer.show();
    this.followUp();
  }

  /** Has the position looked up and analysed; while one steps through quickly, only the last one. */
  followUp() {
    const act = () => { this.explorer.lookUp(); this.engine.think(); };
    const now = performance.now();
    window.clearTimeout(this.timer);
    if (now - (this.stepped ?? 0) > QUICK) act();
    else {
      this.engine.hold();
      this.timer = window.setTimeout(act, QUICK);
    }
    this.stepped = now;
  }

  /** Keeps an arrow in the game; in practice it is only drawn. @param {string} from @param {string} to @param {import("./arrows.js").Colour} colour */
  drawArrow(from, to, colour) {
    if (this.practice?.isOn) return false;
    this.study.toggleArrow(from, to, colour);
    this.board.arrows.note(arrowsOf(this.node));
    return true;
  }

  showBoard() {
    const { node, study } = this;
    this.board.flip(study.flipped);
    byId("gauge").classList.toggle("flipped", study.flipped);
    const { check, legal, promotions } = this.record.positionAt(node);
    this.board.show({ fen: node.fen, last: node.uci ?? null, check, legal, promotions, movable: "both" });
    this.board.arrows.note(arrowsOf(node));
  }

  showNode() {
    const { node, record } = this;
    this.showBoard();
    this.list.show(record, node);
    this.editor.refresh();
    if (this.drawn?.record !== record || this.drawn.version !== record.version) this.showGraph();
    this.drawn = { record, version: record.version };
    this.graph.point(node);
    this.games.mark(this.study.gameId);
    this.showOpening();
    this.coach.follow();
    if (node.score) showGauge(node.score);
    else if (!this.engine.requestNumber) clearGauge();
    enableSteps(byId("analyse-steps"), Boolean(node.parent), node.children.length > 0);
  }

  showOpening() {
    const opening = this.record.openingAt(this.node);
    byId("analyse-opening").textContent = opening ? `${opening.code} ${opening.name}` : "";
    const { White, Black, Event } = this.record.headers;
    const named = [White, Black].some((name) => name && name !== "?");
    byId("analyse-headline").textContent = named ? `${White ?? "?"} – ${Black ?? "?"}` : Event && Event !== "?" ? Event : "Analysis board";
  }
}
