/** The view in which a person plays against the engine. */

import { Board } from "./board.js";
import { readMove, spoken, START, turnOf, verdictOf } from "./chess.js";
import { announce, byId, capitalized, copy, download, toast } from "./dom.js";
import { enableSteps, fillSteps, MoveList } from "./moves.js";
import { levelWords, NewGame, showSuggestion } from "./newgame.js";
import { PlayerBar } from "./playerbar.js";
import { changed, pgnOf, recordOf } from "./playedgame.js";
import { GameRecord } from "./record.js";
import { playSound, playMoveSound } from "./sound.js";
import { loadSetting, loadTabValue, saveTabValue } from "./store.js";

/** @typedef {import("./main.js").App} App */

const EMPTY = "Drag a piece, click a piece and its target square, or type a move.";
const other = { white: "black", black: "white" };

export class PlayView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.connection = app.connection;
    /** The whole game, with the changes that have come. @type {any} */
    this.game = loadTabValue("game", null);
    this.record = new GameRecord();
    this.ply = 0;
    this.flipped = false;
    /** @type {string|null} */
    this.premove = null;
    this.restoring = 0;
    /** The standard starting position, on which a first move starts a game. @type {any} */
    this.opening = null;
    /** @type {string|null} */
    this.first = null;
    this.board = new Board(byId("play-board"), {
      label: "Board of the game", onMove: (uci) => this.move(uci), onPremove: (move) => this.setPremove(move),
    });
    this.playerBars = { top: new PlayerBar(byId("player-top")), bottom: new PlayerBar(byId("player-bottom")) };
    this.list = new MoveList(byId("play-moves"), { go: (node) => this.go(this.record.path(node).length), empty: EMPTY });
    this.form = new NewGame({ start: (options) => this.start(options), cancel: () => this.showForm(false) });
    this.bind();
    if (this.game) this.receive(this.game, false);
    else this.show();
    this.showForm(!this.game);
    window.setInterval(() => { this.playerBars.top.tick(); this.playerBars.bottom.tick(); }, 100);
    window.addEventListener("pagehide", () => this.save());
  }

  bind() {
    const { connection } = this;
    fillSteps(byId("play-steps"), (name) => this.steps()[name]());
    const clicks = {
      "play-takeback": () => connection.send("takeback"),
      "play-hint": () => this.hint(),
      "play-draw": () => connection.send("draw"),
      "play-resign": () => this.resign(),
      "play-new": () => this.showForm(true),
      "play-again": () => this.again(),
      "play-analyse": () => this.analyse(),
      "play-analyse-over": () => this.analyse(),
      "play-review": () => this.app.review(recordOf(this.game), this.flipped),
      "play-suggested": () => this.again(this.game.suggestion.level),
      "play-copy-pgn": () => copy(pgnOf(this.game), "PGN"),
      "play-copy-fen": () => copy(this.fenAt(this.ply), "FEN"),
      "play-save": () => download(pgnOf(this.game), "adversary.pgn"),
    };
    for (const [id, act] of Object.entries(clicks)) byId(id).addEventListener("click", act);
    byId("play-text").addEventListener("input", () => this.showInfo(""));
    byId("play-type").addEventListener("submit", (/** @type {Event} */ event) => this.type(event));
    connection.on("welcome", ({ levels, descriptions }) => { this.form.setLevels(levels, descriptions); this.restore(); });
    connection.on("game", (message) => this.update(message));
    connection.on("hint", (hint) => this.showHint(hint));
    connection.on("info", ({ text }) => this.showInfo(text));
    connection.on("disconnected", () => this.show());
    connection.on("error", ({ request, text }) => this.showError(request, text));
  }

  steps() {
    return {
      first: () => this.go(0),
      previous: () => this.go(this.ply - 1),
      next: () => this.go(this.ply + 1),
      last: () => this.go(Infinity),
      flip: () => this.flip(),
      hint: () => this.hint(),
    };
  }

  enter() {
    this.show();
  }

  leave() {}

  /** @param {Record<string, any>} options */
  start(options) {
    if (!this.connection.send("new", options)) toast("There is no connection to the server.", "error");
  }

  /** A new game with the sides swapped, unless they are random. @param {number|"max"|undefined} level another one */
  again(level = undefined) {
    const options = loadSetting("new game", this.form.gameOptions());
    const side = options.side === "random" ? "random" : other[this.game.side];
    if (level) this.form.setLevel(level);
    this.start({ ...options, side, level: level ?? options.level });
  }

  /** Continues the game that this page saved, after a reload or a restart of the server. */
  restore() {
    const { game } = this;
    if (!game) this.connection.request("position", { start: null, chess960: false, moves: [] }).then((opening) => { this.opening = opening; this.show(); }, () => {});
    if (!game || game.over) return;
    const { level, side, clock = null, clocks, chess960, delay = true, manners = false } = game;
    this.restoring = this.connection.send("restore", { pgn: pgnOf(this.game), level, side, clock, clocks, chess960, delay, manners });
  }

  /** @param {number|undefined} request the number of the request @param {string} text */
  showError(request, text) {
    if (this.restoring && request === this.restoring) {
      this.game = null;
      saveTabValue("game", null);
      this.showForm(true);
    }
    this.first = null;
    this.show();
    if (!this.connection.ready) return;
    toast(text, "error");
    announce(text);
  }

  /** Takes in a whole game, or what has changed in the one that is shown. @param {any} message */
  update(message) {
    const game = "kept" in message ? changed(this.game, message) : message;
    if (game) this.receive(game, true);
    else this.connection.send("game"); // a change of something else: the whole game, please
  }

  /** Shows a state of the game. @param {any} game @param {boolean} fromServer false for the game that the page saved */
  receive(game, fromServer) {
    const before = this.game;
    const fresh = !before || before.id !== game.id || !fromServer;
    const restored = this.restoring > 0;
    const following = fresh || this.ply >= before.moves.length || game.moves.length < before.moves.length;
    this.game = game;
    if (fromServer) this.save();
    this.record = new GameRecord({ start: game.start, chess960: Boolean(game.chess960), moves: game.moves });
    if (fresh) this.flipped = game.side === "black";
    if (fresh && !restored) this.premove = null;
    if (following) this.ply = game.moves.length;
    if (fromServer && !fresh) this.announceMoves(before, game);
    if (fromServer && fresh && !restored) announce(`New game. You play ${game.side}.`);
    if (fromServer) this.restoring = 0;
    if (before?.moves.length !== game.moves.length) this.clearHint();
    if (game.over && !before?.over && fromServer && !fresh) this.announceResult();
    if (fromServer && fresh) {
      this.showForm(false);
      window.scrollTo({ top: 0 }); // the form may have been below the board
    }
    this.show();
    if (fromServer) this.playPremove();
    if (fromServer && fresh) this.playFirst();
  }

  /** Announces the new moves and plays their sounds. @param {any} before @param {any} game */
  announceMoves(before, game) {
    const fresh = game.moves.slice(before.moves.length);
    if (game.moves.length < before.moves.length) announce("Taken back.");
    if (!fresh.length) return;
    announce(fresh.map((/** @type {any} */ { san }, /** @type {number} */ index) => {
      const own = turnOf(this.fenAt(before.moves.length + index)) === game.side;
      return `${own ? "You" : "Adversary"}: ${spoken(san)}`;
    }).join(". "));
    playMoveSound(fresh.at(-1).san);
  }

  announceResult() {
    this.showInfo("");
    byId("play-text").value = "";
    announce(verdictOf(this.game.over, this.game.side));
    playSound("end");
  }

  /** Saves the game with the current clocks. */
  save() {
    if (!this.game) return;
    const clocks = this.game.clocks ? [this.clockOf("white"), this.clockOf("black")] : null;
    saveTabValue("game", { ...this.game, clocks });
  }

  /** @param {"white"|"black"} side */
  clockOf(side) {
    return Math.max(0, Math.round(this.playerBarOf(side).now()));
  }

  /** @param {"white"|"black"} side */
  playerBarOf(side) {
    return (side === "white") === this.flipped ? this.playerBars.top : this.playerBars.bottom;
  }

  /** @param {number} ply */
  fenAt(ply) {
    if (!this.game) return START;
    return ply > 0 ? this.game.moves[ply - 1].fen : this.game.start ?? START;
  }

  /** Shows the position after `ply` moves. @param {number} ply */
  go(ply) {
    const most = this.game?.moves.length ?? 0;
    const next = Math.min(most, Math.max(0, ply));
    if (next === this.ply) return;
    this.ply = next;
    this.show();
    if (next > 0) announce(spoken(this.game.moves[next - 1].san));
  }

  flip() {
    const clocks = this.game?.clocks ? [this.clockOf("white"), this.clockOf("black")] : null;
    if (clocks) this.game = { ...this.game, clocks };
    this.flipped = !this.flipped;
    this.show();
  }

  isMine() {
    const { game } = this;
    return Boolean(game) && !game.over && game.position.turn === game.side;
  }

  /** @param {string} uci */
  move(uci) {
    if (!this.game) {
      this.first = uci;
      this.start({ ...this.form.gameOptions(), side: "white", start: null, chess960: false });
    } else if (!this.connection.send("move", { uci, ply: this.game.moves.length })) {
      this.board.restore();
    }
  }

  /** Makes the first move that started the game. */
  playFirst() {
    const uci = this.first;
    this.first = null;
    if (uci) this.move(uci);
  }

  /** @param {Event} event */
  type(event) {
    event.preventDefault();
    const field = byId("play-text");
    const uci = this.isMine() ? readMove(field.value, this.game.position) : null;
    if (uci) {
      this.go(Infinity);
      this.move(uci);
      field.value = "";
    } else if (field.value.trim()) {
      const words = this.isMine() ? `“${field.value.trim()}” is not a legal move here.` : "It is not your turn.";
      this.showInfo(words);
    }
  }

  /** @param {string|null} move */
  setPremove(move) {
    this.premove = move;
    this.show();
    announce(move ? `Premove ${move.slice(0, 2)} to ${move.slice(2)}` : "Premove cancelled");
  }

  /** Makes the premove if it is legal now. */
  playPremove() {
    if (!this.premove || !this.isMine()) return;
    const move = this.premove;
    this.premove = null;
    const { legal, promotions } = this.game.position;
    const isLegal = legal[move.slice(0, 2)]?.includes(move.slice(2));
    this.show();
    if (isLegal) this.move(promotions.includes(move) ? `${move}q` : move);
  }

  hint() {
    if (!this.isMine()) return;
    this.go(Infinity);
    if (this.connection.send("hint")) this.showInfo("Searching for a hint …");
  }

  /** @param {any} hint */
  showHint({ uci, san, reason }) {
    this.showInfo(`Hint: ${san}${reason ? `. ${capitalized(reason)}.` : ""}`);
    this.board.arrows.show([{ from: uci.slice(0, 2), to: uci.slice(2, 4), type: "hint" }]);
  }

  clearHint() {
    this.board.arrows.show([]);
    this.showInfo("");
  }

  /** @param {string} text */
  showInfo(text) {
    byId("play-info").textContent = text;
  }

  /** Resigns at the second click within four seconds. */
  resign() {
    const button = byId("play-resign");
    const label = button.querySelector("span");
    const calm = () => { button.classList.remove("sure"); label.textContent = "Resign"; };
    window.clearTimeout(this.calming);
    if (button.classList.contains("sure")) {
      calm();
      this.connection.send("resign");
      return;
    }
    button.classList.add("sure");
    label.textContent = "Really resign?";
    this.calming = window.setTimeout(calm, 4000);
  }

  analyse() {
    this.app.analyse(recordOf(this.game), this.game.over ? 0 : this.ply, this.flipped);
  }

  /** @param {string} fen */
  offer(fen) {
    this.form.offer(fen);
    this.showForm(true);
  }

  /** @param {boolean} shown */
  showForm(shown) {
    this.form.show(shown, Boolean(this.game));
    byId("play-panel").hidden = shown || !this.game;
  }

  show() {
    this.showBoard();
    this.showPlayers();
    if (this.game) this.showPanel();
  }

  showBoard() {
    const { game, ply } = this;
    this.board.flip(this.flipped);
    if (!game) {
      const { legal = {} } = this.opening ?? {};
      this.board.show({ fen: START, legal, movable: this.connection.ready ? "white" : null });
      return;
    }
    const now = ply === game.moves.length;
    const live = now && !game.over && this.connection.ready && !this.restoring;
    const mine = this.isMine();
    this.board.show({
      fen: this.fenAt(ply),
      last: ply > 0 ? game.moves[ply - 1].uci : null,
      check: now ? game.position.check : null,
      legal: live && mine ? game.position.legal : {},
      promotions: game.position.promotions,
      movable: live && mine ? game.side : null,
      premover: live && !mine ? game.side : null,
      premove: now ? this.premove : null,
    });
  }

  showPlayers() {
    const { game } = this;
    const sides = /** @type {const} */ (["white", "black"]);
    const own = game?.side ?? "white";
    for (const side of sides) {
      const bar = this.playerBarOf(side);
      const engine = side !== own;
      const level = game ? game.level : this.form.level();
      const about = level === "max" ? "full strength" : `${level} · ${levelWords(level)}`;
      const thinking = engine && Boolean(game) && !game.over && (game.thinking || game.position.turn === side);
      bar.showPlayer({ name: engine ? "Adversary" : "You", about: engine ? about : "", thinking });
      if (game) bar.showCaptured(side, game.start ?? START, this.fenAt(this.ply));
      const index = sides.indexOf(side);
      const running = game?.running === index && !game.over && this.connection.ready;
      if (!game?.clocks) bar.setClock(null, false);
      else if (bar.game !== game || !running) bar.setClock(game.clocks[index], running);
      bar.game = game;
    }
  }

  showPanel() {
    const { game, ply } = this;
    const path = this.record.main();
    this.list.show(this.record, ply > 0 ? path[ply - 1] : this.record.root);
    const { opening } = game;
    byId("play-opening").textContent = opening ? `${opening.code} ${opening.name}` : "";
    byId("verdict").hidden = !game.over;
    if (game.over) byId("verdict-text").textContent = verdictOf(game.over, game.side);
    showSuggestion(game);
    const online = this.connection.ready;
    byId("play-takeback").disabled = !online || game.moves.length === 0;
    byId("play-hint").disabled = !online || !this.isMine();
    byId("play-draw").disabled = !online || Boolean(game.over);
    byId("play-resign").disabled = !online || Boolean(game.over);
    byId("play-text").disabled = Boolean(game.over);
    enableSteps(byId("play-steps"), ply > 0, ply < game.moves.length);
  }
}
