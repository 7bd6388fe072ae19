/** The view for training with puzzles: what is due stands first, wrong moves are refuted on the board, progress is drawn. */

import { Board } from "./board.js";
import { readMove, spoken } from "./chess.js";
import { announce, byId, capitalized, h, icon, s, toast } from "./dom.js";
import { fileButton, fileFields, keptText } from "./puzzlefile.js";
import { GameRecord } from "./record.js";
import { playMoveSound } from "./sound.js";
import { loadSetting, loadTabValue, saveSetting, saveTabValue } from "./store.js";

/** @typedef {import("./connection.js").Message} Message */

const FRAME = 800; // milliseconds between two moves of a refutation
const ANY = { theme: "", lowest: 0, highest: 4000, source: "all", set: "", woodpecker: false };
const SET = "set "; // before the name of a set, in the list of sources
const SOURCES = { all: "All puzzles", package: "From master games", own: "My own sets" };
const PRAISE = { "at once": "Solved at once", solved: "Solved", "with hints": "Solved with hints", failed: "Solved after a wrong move" };
const [WIDTH, HEIGHT, EDGE] = [400, 110, 6];

export class TrainView {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.app = app;
    this.connection = app.connection;
    this.active = false;
    this.busy = false;
    this.filter = { ...ANY, ...loadSetting("train", ANY) };
    /** The puzzle that is asked, as the server sends it. @type {any} */
    this.puzzle = null;
    /** @type {HTMLElement[]} */
    this.notes = [];
    this.timer = 0;
    this.problem = "";
    this.build();
    this.connection.on("welcome", () => { if (this.active) this.begin(); }); // a new connection knows of no puzzle
  }

  build() {
    const host = h("div.host", { id: "train-board" });
    this.panel = h("div.card.practice.training", { id: "train-panel", role: "region", "aria-label": "Puzzle" });
    this.choice = h("details.card.fold", { id: "train-choice" });
    this.progress = h("div.card", { id: "train-progress" });
    byId("view-train").append(h("div.board-column", {}, host),
      h("div.side", {}, this.panel, this.choice, this.progress));
    this.board = new Board(host, { label: "Puzzle", onMove: (uci) => this.move(uci) });
    this.field = h("input", { type: "text", id: "train-text", placeholder: "Type a move", "aria-label": "Type a move", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    this.typed = h("form.typed", { onsubmit: (/** @type {Event} */ event) => this.type(event) }, this.field, h("button", { type: "submit" }, "Move"));
  }

  enter() {
    this.active = true;
    if (this.connection.ready && !this.puzzle) this.begin();
  }

  leave() {
    this.active = false;
  }

  steps() {
    return { hint: () => this.hint(), flip: () => this.board.flip(!this.board.flipped), nextGame: () => this.next() };
  }

  /** Goes on with the puzzle of before a reload, or shows what is due. */
  async begin() {
    const id = this.puzzle?.id ?? loadTabValue("train-puzzle", null);
    if (await this.overview() && id) await this.ask(id);
  }

  /** Asks the server; shows its error, and resolves to null. @param {string} action @param {Record<string, any>} [fields] @returns {Promise<any>} */
  async train(action, fields = {}) {
    this.problem = "";
    if (this.busy) return null;
    this.busy = true;
    try {
      const message = await this.connection.request("train", { action, ...fields });
      if (message.note) toast(message.note);
      return message;
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
      return null;
    } finally {
      this.busy = false;
    }
  }

  /** Shows what is due, what can be chosen, and the progress. @param {string} [action] */
  async overview(action = "overview") {
    const found = await this.train(action, this.filter);
    if (!found) {
      this.showProblem();
      return false;
    }
    this.stopLine();
    this.keep(null);
    this.notes = [];
    if (action === "anew") return this.overview();
    this.showChoice(found.overview);
    const due = this.filter.woodpecker ? `Woodpecker: ${found.status}` : found.due ? `${found.due} due today` : "Nothing is due today";
    this.show(due, found.due ? "" : "New puzzles are near your rating.", [this.button(found.due ? "Start" : "New puzzle", () => this.next(), "button.primary"),
      ...(found.openings ? [this.button(openingsText(found.openings), () => this.app.practiseOpenings())] : []), this.loadButton()], found);
    return true;
  }

  showProblem() {
    if (!this.problem) return;
    this.show("No puzzle", this.problem, this.connection.welcome?.trains ? [this.button("All puzzles", () => this.choose(ANY)), this.loadButton()] : []);
    announce(this.problem);
  }

  loadButton() {
    return fileButton((blob, name) => this.receive(blob, name));
  }

  /** Keeps the puzzles of a file, and trains with them; what cannot be kept changes nothing. @param {Blob} blob @param {string} [name] */
  async receive(blob, name = "") {
    try {
      const fields = await fileFields(blob, name, this.connection.welcome?.limits.message);
      const { kept } = (await this.train("keep", fields)) ?? {};
      if (!kept) throw new Error(this.problem || "The last answer is still being checked.");
      toast(keptText(kept));
      this.choose({ ...ANY, source: "own", set: kept.name });
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "error", { label: "Analyse the file", act: () => this.app.receiveGames(blob, name) });
    }
  }

  /** Removes the chosen set; its answers stay, and it can be brought back. */
  async removeSet() {
    const { removed } = (await this.train("remove", { set: this.filter.set })) ?? {};
    if (removed) {
      this.choose(ANY);
      toast(`“${removed}” is removed; your answers are kept`, "info", { label: "Undo", act: () => this.restoreSet() });
    } else if (this.problem) toast(this.problem, "error");
  }

  async restoreSet() {
    const { restored } = (await this.train("restore")) ?? {};
    if (restored) this.choose({ ...ANY, source: "own", set: restored });
    else if (this.problem) toast(this.problem, "error");
  }

  /** @param {Partial<typeof ANY>} change */
  choose(change) {
    this.filter = { ...this.filter, ...change };
    saveSetting("train", this.filter);
    this.overview();
  }

  next() {
    return this.ask();
  }

  /** Asks the next puzzle, or that of before a reload. @param {string} [id] */
  async ask(id) {
    const found = await this.train("next", { ...this.filter, ...(id ? { id } : {}) });
    if (!found) {
      this.showProblem();
      return;
    }
    this.notes = found.puzzle?.repeat ? [h("p.faint", {}, "Once more: this time it does not count.")] : [];
    if (!found.puzzle) {
      this.keep(null);
      this.show("Done", "Nothing else is due, and there are no new puzzles in this choice.", [], found);
      return;
    }
    this.board?.flip(found.puzzle.side === "black");
    this.showPuzzle(found);
    announce(`${found.puzzle.repeat ? "Once more: " : ""}${found.puzzle.text}`);
  }

  /** @param {any} puzzle */
  keep(puzzle) {
    this.puzzle = puzzle;
    saveTabValue("train-puzzle", puzzle?.id ?? null);
  }

  /** Shows a puzzle as it stands. @param {any} found */
  showPuzzle(found) {
    this.stopLine();
    this.keep(found.puzzle);
    const { position, last, hinted } = found.puzzle;
    this.board?.show({ fen: position.fen, last, check: position.check, legal: position.legal, promotions: position.promotions, movable: "both" });
    this.board?.arrows.show(hinted.map((/** @type {string} */ square) => ({ from: square, to: square, type: "hint" })));
    this.show("", found.puzzle.text, [...(hinted.length > 1 ? [] : [this.button(hinted.length ? "Where to" : "Hint", () => this.hint())]), this.button("Show the solution", () => this.solution()),
      ...(this.puzzle.failed ? [] : [this.button("Skip", () => this.next(), "button.quiet")])], found, true);
  }

  /** @param {string} uci */
  async move(uci) {
    const asked = this.puzzle;
    const found = await this.train("move", { uci });
    if (!this.puzzle || this.puzzle !== asked) return;
    if (!found) {
      this.board?.restore();
      if (this.problem) toast(this.problem, "error");
      return;
    }
    playMoveSound(found.san);
    if (found.solved) this.solved(found);
    else if (found.right) {
      this.notes.push(h("p.right", {}, h("strong", {}, found.san), `, answered by ${found.reply.san}`));
      announce(`Right. The answer is ${spoken(found.reply.san)}`);
      this.showPuzzle(found);
    } else if (found.good) {
      this.notes.push(h("p", {}, h("strong", {}, found.san), " is good too; look for the move of the solution."));
      announce(`${spoken(found.san)} is good too. Look for another move.`);
      this.showPuzzle(found);
    } else this.wrong(found);
  }

  /** Plays the refutation on the board, until the solver tries again. @param {any} found */
  wrong(found) {
    const reason = found.reason || "it is refuted";
    const sans = found.line.map((/** @type {any} */ frame) => frame.san);
    const line = reason.endsWith(sans[0]) ? ["", ...sans.slice(1)].join(" ") : sans.length ? ` (${sans.join(" ")})` : ""; // some reasons end with the reply
    this.notes.push(h("p.wrong", {}, h("strong", {}, found.san), `: ${reason}${line}`));
    announce(`${spoken(found.san)} is wrong: ${reason}`);
    this.keep(found.puzzle);
    this.play([{ uci: found.uci, fen: found.after }, ...found.line]);
    this.show("", found.puzzle.text, [this.button("Try again", () => this.showPuzzle(found), "button.primary"), this.button("Show the solution", () => this.solution())], found);
    this.panel?.querySelector(".primary")?.focus();
  }

  /** Shows positions one after the other. @param {{uci: string, fen: string}[]} frames */
  play(frames) {
    this.stopLine();
    const [frame, ...rest] = frames;
    if (!frame) return;
    this.board?.arrows.show([]);
    this.board?.show({ fen: frame.fen, last: frame.uci, movable: null });
    this.timer = window.setTimeout(() => this.play(rest), FRAME);
  }

  stopLine() {
    window.clearTimeout(this.timer);
  }

  /** @param {any} found */
  solved(found) {
    const { fen, check } = found.position;
    this.keep(null);
    this.board?.arrows.show([]);
    this.board?.show({ fen, last: found.uci, check, movable: null });
    const praise = PRAISE[/** @type {keyof typeof PRAISE} */ (found.solved)];
    this.notes.push(h("p.right", {}, h("strong", {}, found.san), `: ${praise.toLowerCase()}, in ${found.seconds} s`),
      h("p", {}, capitalized(found.about)));
    announce(praise);
    this.finish(praise, found);
  }

  /** Shows the end of a puzzle, from where one goes on or analyses it. @param {string} head @param {any} found */
  finish(head, found) {
    this.show(head, "", [this.button("Next", () => this.next(), "button.primary"), this.button("Analyse", () => this.analyse(found))], found);
    this.panel?.querySelector(".primary")?.focus();
  }

  /** Opens the puzzle with its solution on the analysis board. @param {any} found */
  analyse({ start, chess960, moves }) {
    const record = new GameRecord({ start, chess960 });
    let node = record.root;
    for (const uci of moves) node = record.play(node, uci) ?? node;
    this.app.analyse(record, 0, this.board?.flipped ?? false);
  }

  async hint() {
    if (!this.puzzle || this.puzzle.hinted.length > 1) return;
    const found = await this.train("hint");
    if (!found) return;
    this.notes.push(h("p", {}, icon("hint"), ` ${found.hint}`));
    announce(found.hint);
    this.showPuzzle(found);
  }

  async solution() {
    const found = this.puzzle && await this.train("solution");
    if (!found) return;
    this.keep(null);
    this.notes.push(h("p", {}, h("strong", {}, found.solution)), h("p", {}, capitalized(found.about)));
    announce(`The solution is ${found.solution}`);
    this.play(found.line);
    this.finish("The solution", found);
  }

  /** @param {Event} event */
  type(event) {
    event.preventDefault();
    const uci = this.puzzle && readMove(this.field.value.trim(), this.puzzle.position);
    if (!uci) {
      toast(`${this.field.value.trim() || "Nothing"} is not a legal move here.`, "error");
      return;
    }
    this.field.value = "";
    this.move(uci);
  }

  /** @param {string} words @param {() => void} act @param {string} [type] */
  button(words, act, type = "button") {
    return h(type, { type: "button", onclick: act }, words);
  }

  /** @param {string} head @param {string} text @param {HTMLElement[]} actions @param {any} [found] whose rating is shown @param {boolean} [typing] */
  show(head, text, actions, found = null, typing = false) {
    if (found?.overview) this.showProgress(found);
    this.panel?.replaceChildren(
      ...(head ? [h("h2", { id: "train-head" }, head)] : []), h("p.question", {}, text), h("div.actions", {}, ...actions),
      ...(typing ? [this.typed] : []), h("div.notes", {}, ...this.notes), h("p.faint", { id: "train-standing" }, ...(found ? standingOf(found) : [])));
  }

  /** @param {any} overview */
  showChoice({ themes, puzzles, sets }) {
    const { theme, source, set, woodpecker } = this.filter;
    const number = (/** @type {"lowest"|"highest"} */ name, /** @type {string} */ label) => {
      const field = h("input", { type: "number", min: 0, max: 4000, step: 50, value: this.filter[name], "aria-label": label,
        onchange: () => { if (field.checkValidity() && field.value !== "") this.choose({ [name]: Math.round(Number(field.value)) }); } });
      return field;
    };
    const list = (/** @type {string} */ id, /** @type {string} */ value, /** @type {[string, string][]} */ choices, /** @type {(value: string) => void} */ act) => {
      const field = h("select", { id, onchange: () => act(field.value) }, ...choices.map(([key, words]) => h("option", { value: key, selected: key === value }, words)));
      return field;
    };
    const rounds = h("input", { type: "checkbox", checked: woodpecker, id: "train-woodpecker", onchange: () => this.choose({ woodpecker: rounds.checked }) });
    this.choice?.replaceChildren(
      h("summary", {}, h("h2", {}, `Choose from ${puzzles} ${puzzles === 1 ? "puzzle" : "puzzles"}`)),
      h("div.pair", {},
        h("label.field", {}, "Theme", list("train-theme", theme, [["", "All themes"], ...themes.map((/** @type {any} */ one) => /** @type {[string, string]} */ ([one.name, `${one.name} (${one.count})`]))], (value) => this.choose({ theme: value }))),
        h("label.field", {}, "From", list("train-source", set ? SET + set : source, [...Object.entries(SOURCES), ...sets.map((/** @type {string} */ name) => /** @type {[string, string]} */ ([SET + name, name]))],
          (value) => this.choose(value.startsWith(SET) ? { source: "own", set: value.slice(SET.length), theme: "" } : { source: value, set: "", theme: "" })))),
      h("div.pair", {}, h("label.field", {}, "Rated from", number("lowest", "Lowest rating")), h("label.field", {}, "to", number("highest", "Highest rating"))),
      h("label.switch", {}, rounds, h("span", {}, "Woodpecker: the same 30 puzzles, round after round")),
      h("div.actions", {}, ...(woodpecker ? [this.button("Other puzzles", () => this.overview("anew"))] : []), this.loadButton(),
        ...(set ? [this.button("Remove the set", () => this.removeSet(), "button.quiet")] : [])));
  }

  /** @param {any} found */
  showProgress({ overview }) {
    const { ratings, rounds, answers, solved } = overview;
    const table = rounds.map((/** @type {any} */ one, /** @type {number} */ index) => h("p", {}, `Round ${index + 1}: ${one.solved} of ${one.answered} solved in ${Math.round(one.seconds)} s`));
    this.progress?.replaceChildren(h("h2", {}, "Your progress"),
      h("p.faint", { id: "train-answers" }, answers ? `${solved} of ${answers} answers right` : "Your first answer begins it."), ...table, ...(ratings.length > 1 ? [plotOf(ratings)] : []));
  }
}

/** How much is due, and the rating with its change by this puzzle, if that counts. @param {any} found */
function standingOf({ status, rating, error, change, streak }) {
  const changed = typeof change === "number" ? [" (", h(`strong.${change < 0 ? "lost" : "gained"}`, {}, `${change < 0 ? "−" : "+"}${Math.abs(change)}`), ")"] : [];
  return [`${status} · your rating ${rating} ± ${error}`, ...changed, streak ? ` · ${streak} ${streak === 1 ? "day" : "days"} in a row` : ""];
}

/** @param {{due: number, new: number}} openings */
function openingsText({ due, new: fresh }) {
  const work = [...(due ? [`${due} due`] : []), ...(fresh ? [`${fresh} new`] : [])].join(", ");
  return `Practise openings${work ? ` (${work})` : ""}`;
}

/** The rating after each answer that counted, with its 95 % interval. @param {{rating: number, error: number, at: string}[]} ratings */
function plotOf(ratings) {
  const low = Math.min(...ratings.map(({ rating, error }) => rating - error));
  const high = Math.max(...ratings.map(({ rating, error }) => rating + error));
  const x = (/** @type {number} */ index) => (EDGE + (index / (ratings.length - 1)) * (WIDTH - 2 * EDGE)).toFixed(1);
  const y = (/** @type {number} */ value) => (HEIGHT - EDGE - ((value - low) / (high - low)) * (HEIGHT - 2 * EDGE)).toFixed(1);
  const points = (/** @type {(one: any) => number} */ value) => ratings.map((one, index) => `${x(index)},${y(value(one))}`);
  const [first, last] = [ratings[0], ratings[ratings.length - 1]];
  return s("svg", { class: "rating-plot", id: "train-plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Your rating: ${first.rating} on ${first.at}, ${last.rating} ± ${last.error} on ${last.at}` },
    s("polygon", { class: "band", points: [...points((one) => one.rating + one.error), ...points((one) => one.rating - one.error).reverse()].join(" ") }),
    s("polyline", { class: "curve", points: points((one) => one.rating).join(" ") }),
    s("text", { x: EDGE, y: 14 }, String(Math.round(high))), s("text", { x: EDGE, y: HEIGHT - EDGE }, String(Math.round(low))));
}
