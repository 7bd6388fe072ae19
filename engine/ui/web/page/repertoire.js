/** Practice of openings: the other side's moves are played, one's own are asked; the server keeps what is known. */

import { spoken } from "./chess.js";
import { announce, capitalized, h, icon, toast } from "./dom.js";
import { Exercise } from "./exercise.js";
import { GameRecord } from "./record.js";

/** @typedef {{name: string, side: "white"|"black", start: string, moves: string[], line: string, opening: string}} Question */

const PAUSE = 900; // milliseconds between a right move and the next position of its line

export class OpeningPractice extends Exercise {
  /**
   * @param {import("./connection.js").Connection} connection
   * @param {import("./board.js").Board} board
   * @param {{done: () => void}} options what to do at the end
   */
  constructor(connection, board, options) {
    super(connection, board, options);
    /** @type {Question|null} */
    this.question = null;
    [this.right, this.asked, this.timer] = [0, 0, 0];
  }

  /** Begins with a new repertoire, or with those that are kept. @param {"learn"|"recall"} name @param {Record<string, any>} fields */
  async start(name, fields) {
    try {
      const message = await (name === "learn" ? this.connection.request("learn", fields) : this.connection.request("recall"));
      this.open();
      this.ask(message.question, message.repertoires);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "error");
      this.done();
    }
  }

  stop() {
    window.clearTimeout(this.timer);
    super.stop();
  }

  /** Asks a question; null at the end. @param {Question|null} question @param {any[]|null} [repertoires] */
  ask(question, repertoires = null) {
    this.question = question;
    this.repertoires = repertoires ?? this.repertoires;
    [this.notes, this.solved, this.failed, this.busy] = [[], false, false, false];
    /** The squares that hints have named. @type {string[]} */
    this.hinted = [];
    this.asking = null;
    if (question) {
      this.asked += 1;
      this.record = new GameRecord({ start: question.start });
      let node = this.record.root;
      for (const uci of question.moves) node = this.record.play(node, uci) ?? node;
      this.asking = node;
      this.face();
      this.showBoard();
    }
    this.show();
    announce(this.words());
  }

  words() {
    if (!this.question) return `Nothing is due, and nothing is new. ${this.right} of ${this.asked} right.`;
    const { line, opening, side } = this.question;
    return `${line || "The beginning"}${opening ? ` (${opening})` : ""}: what does your repertoire play for ${capitalized(side)}?`;
  }

  /** Has a move judged; without one, the move is shown. @param {string} [uci] */
  async attempt(uci) {
    const { asking, question } = this;
    if (!asking || !question || this.solved || this.busy) return;
    this.busy = true;
    try {
      const message = await (uci ? this.connection.request("reply", { uci }) : this.connection.request("reply"));
      this.busy = false;
      if (!this.isOn || this.asking !== asking) return;
      if (message.shown || ["right", "transposes"].includes(message.standing)) this.accept(message);
      else this.refuse(message, /** @type {string} */ (uci));
    } catch (error) {
      this.busy = false;
      toast(/** @type {Error} */ (error).message, "error");
      this.showBoard();
    }
  }

  /** Names the piece, then the move. */
  async hint() {
    const { asking } = this;
    if (!asking || this.solved || this.busy || this.hinted.length > 1) return;
    this.busy = true;
    try {
      const { hint, hinted } = await this.connection.request("prompt");
      if (!this.isOn || this.asking !== asking) return;
      this.hinted = hinted;
      this.notes.push(h("p", {}, icon("hint"), ` ${hint}`));
      this.showBoard();
      this.show();
      announce(hint);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "error");
    } finally {
      this.busy = false;
    }
  }

  showBoard() {
    super.showBoard();
    this.board.arrows.show(this.hinted.map((square) => ({ from: square, to: square, type: "hint" })));
  }

  /** @param {any} message */
  accept({ san, shown, standing, answers, comment, question }) {
    if (!shown && !this.failed) this.right += 1;
    this.following = question;
    this.board.arrows.show([]);
    this.showSolution(san);
    const others = answers.filter((/** @type {string} */ answer) => answer !== san);
    const words = shown ? "is the move of your repertoire" : standing === "transposes" ? "leads into your repertoire by another order of moves" : "is right";
    this.notes.push(h(shown ? "p" : "p.right", {}, h("strong", {}, san), ` ${words}${others.length ? `; it has ${others.join(", ")}, too` : ""}.${comment ? ` ${comment}` : ""}`));
    this.show();
    announce(`${spoken(san)} ${words}`);
    if (question && !shown && !this.failed && !comment) this.timer = window.setTimeout(() => this.next(), PAUSE);
    else this.focusNext();
  }

  /** @param {any} message @param {string} uci */
  async refuse({ san, standing, words }, uci) {
    const { asking, question } = this;
    if (standing === "wrong") this.failed = true;
    const note = h("p.wrong", {}, h("strong", {}, san), ` is ${standing === "wrong" ? "not in your repertoire" : "in the book, but not in your repertoire"}${words ? `: ${words}` : ""}.`);
    this.notes.push(note);
    this.showBoard();
    this.show();
    announce(note.textContent ?? "");
    if (standing !== "wrong" || !question) return;
    try {
      const { lines } = await this.connection.request("explain", { start: question.start, chess960: false, moves: question.moves, uci });
      const about = lines.filter((/** @type {string} */ line) => line.startsWith(`${san}`) || line.startsWith("then:"));
      if (this.asking === asking && !this.solved) note.append(...about.map((/** @type {string} */ line) => h("span.faint", {}, ` ${line}.`)));
    } catch { /* the book's words stay */ }
  }

  /** Goes on with the line, or with another one. */
  async next() {
    window.clearTimeout(this.timer);
    if (this.following) {
      this.ask(this.following);
      return;
    }
    try {
      const { question, repertoires } = await this.connection.request("recall");
      if (this.isOn) this.ask(question, repertoires);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "error");
    }
  }

  show() {
    const { question } = this;
    const actions = !question ? [] : this.solved ? [this.button("Next", () => this.next(), "button.primary")]
      : [...(this.hinted.length > 1 ? [] : [this.button(this.hinted.length ? "Which move" : "Hint", () => this.hint())]), this.button("Show the move", () => this.attempt())];
    const standing = (this.repertoires ?? []).map(({ name, side, due, new: fresh, positions }) => `${name} (${capitalized(side)}): ${due} due, ${fresh} new of ${positions}`);
    this.panel.replaceChildren(
      h("div.practice-head", {}, icon("target"), h("strong", {}, question ? question.name : "Finished"), h("span.faint", { id: "practice-count" }, `${this.right} of ${this.asked} right`)),
      h("p.question", {}, this.words()),
      h("div.notes", {}, ...this.notes, ...(question ? [] : standing.map((words) => h("p", {}, words)))),
      h("div.actions", {}, ...actions, this.button("Leave practice", () => this.leave(), "button.quiet")));
  }
}
