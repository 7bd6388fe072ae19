/** What practice with mistakes and practice of openings share: a position to move in, and the panel with the question. */

import { byId, h } from "./dom.js";
import { enableSteps } from "./moves.js";
import { turnOf } from "./chess.js";

/** @typedef {import("./record.js").Node} Node */

export class Exercise {
  /**
   * @param {import("./connection.js").Connection} connection
   * @param {import("./board.js").Board} board
   * @param {{done: () => void}} options what to do at the end
   */
  constructor(connection, board, { done }) {
    this.connection = connection;
    this.board = board;
    this.done = done;
    this.isOn = false;
    this.solved = false;
    /** The position that is asked about. @type {Node|null} */
    this.asking = null;
    /** @type {import("./record.js").GameRecord|null} */
    this.record = null;
    /** What has been said about the moves so far. @type {HTMLElement[]} */
    this.notes = [];
    this.panel = byId("practice");
  }

  /** Shows the panel in place of the view's own. */
  open() {
    this.isOn = true;
    byId("view-analyse").classList.add("practising");
    this.panel.hidden = false;
    enableSteps(byId("analyse-steps"), false, false);
  }

  /** Ends the exercise. */
  stop() {
    if (!this.isOn) return;
    [this.isOn, this.asking] = [false, null];
    byId("view-analyse").classList.remove("practising");
    this.panel.hidden = true;
  }

  leave() {
    this.stop();
    this.done();
  }

  flip() {
    this.board.flip(!this.board.flipped);
  }

  /** Shows the position to move in. */
  showBoard() {
    const { asking, record } = this;
    if (!asking || !record) return;
    const { check, legal, promotions } = record.positionAt(asking);
    this.board.arrows.show([]);
    this.board.show({ fen: asking.fen, last: asking.uci ?? null, check, legal: this.solved ? {} : legal, promotions, movable: this.solved ? null : "both" });
  }

  /** Turns the board to the side that is asked. */
  face() {
    if (this.asking) this.board.flip(turnOf(this.asking.fen) === "black");
  }

  /** Shows the position after the right move. @param {string} san */
  showSolution(san) {
    this.solved = true;
    const rules = this.asking && this.record?.rulesAt(this.asking);
    const move = rules?.fromSan(san);
    if (rules && move) this.board.show({ fen: rules.after(move).fen(), last: rules.uci(move), movable: null });
  }

  /** A button of the panel. @param {string} words @param {() => void} act @param {string} [type] */
  button(words, act, type = "button") {
    return h(type, { type: "button", onclick: act }, words);
  }

  /** Moves the focus to the button that goes on. */
  focusNext() {
    this.panel.querySelector(".primary")?.focus();
  }
}
