/** What is studied: a game with its variations, the current move, and the earlier states that undo returns to. */

import { toggled } from "./arrows.js";
import { arrowsOf, readGame, setArrows, writeGame } from "./pgn.js";
import { GameRecord } from "./record.js";
import { splitGames } from "./split.js";

/** @typedef {import("./record.js").Node} Node */
/** @typedef {{file: number, number: number}} GameId a game of a file */
/** @typedef {{pgn: string, steps: number[], flipped: boolean, gameId: GameId|null}} Snapshot */

const MOST_STATES = 50; // that undo remembers

export class Study {
  /** @param {{changed: () => void}} options called after every change of the game */
  constructor({ changed }) {
    this.changed = changed;
    this.record = new GameRecord();
    /** @type {Node} */
    this.node = this.record.root;
    this.flipped = false;
    /** Where the game comes from, and where its changes go. @type {GameId|null} */
    this.gameId = null;
    this.loaded = 0; // the version of the record when it was opened
    /** @type {{snapshot: Snapshot, words: string}[]} */
    this.past = [];
  }

  /** The game in PGN, written again only after a change. */
  pgn() {
    const { record } = this;
    if (this.written?.record !== record || this.written.version !== record.version) {
      this.written = { record, version: record.version, pgn: writeGame(record) };
    }
    return this.written.pgn;
  }

  /** @returns {Snapshot} */
  snapshot() {
    return { pgn: this.pgn(), steps: this.record.steps(this.node), flipped: this.flipped, gameId: this.gameId };
  }

  /** Whether there is anything to lose. */
  isEmpty() {
    return !this.record.root.children.length && !this.record.start;
  }

  /** Remembers the state before a change. @param {string} words what undo will bring back */
  remember(words) {
    if (this.isEmpty()) return;
    this.past = [...this.past.slice(1 - MOST_STATES), { snapshot: this.snapshot(), words }];
  }

  /** Returns to the state before the last change; returns what came back, null if there is nothing to undo. */
  undo() {
    const state = this.past.pop();
    if (!state) return null;
    this.restore(state.snapshot);
    this.changed();
    return state.words;
  }

  /** Restores what was kept at the last visit, if it can be read. @param {Snapshot|null} kept */
  restoreSaved(kept) {
    try {
      if (kept) this.restore(kept);
    } catch {
      // Another version of the page may have written it.
    }
  }

  /** @param {Snapshot} snapshot */
  restore({ pgn, steps, flipped, gameId = null }) {
    this.record = readGame(splitGames(pgn)[0]).record;
    this.node = this.record.nodeAt(steps);
    this.flipped = flipped;
    this.gameId = gameId;
    this.loaded = -1;
  }

  /** Opens another game. @param {GameRecord} record @param {{steps?: number[], flipped?: boolean, gameId?: GameId|null}} [options] */
  open(record, { steps = [], flipped = false, gameId = null } = {}) {
    if (this.gameId === null) this.remember("The game that was open");
    this.record = record;
    this.node = record.nodeAt(steps);
    this.flipped = flipped;
    this.gameId = gameId;
    this.loaded = record.version;
    this.changed();
  }

  /** Whether the game has changed since it was opened. */
  isChanged() {
    return this.record.version !== this.loaded;
  }

  /** Replaces the game by the same one with more to it; the current move stays, if it is there. @param {GameRecord} record */
  replace(record) {
    const steps = this.record.steps(this.node);
    this.record = record;
    this.node = record.nodeAt(steps);
    this.loaded = -1;
    this.changed();
  }

  /** Plays a move after the current one; returns whether it is legal. @param {string} uci */
  play(uci) {
    const { version } = this.record;
    const node = this.record.play(this.node, uci);
    if (!node) return false;
    this.node = node;
    if (this.record.version !== version) this.changed();
    return true;
  }

  remove() {
    if (!this.node.parent) return;
    this.remember("The moves");
    this.node = this.record.remove(this.node);
    this.changed();
  }

  promote() {
    this.remember("The order of the lines");
    this.record.promote(this.node);
    this.changed();
  }

  makeMain() {
    this.remember("The order of the lines");
    this.record.makeMain(this.node);
    this.changed();
  }

  /** Gives the move a mark, or takes it away if the move has it. @param {string} mark */
  setMark(mark) {
    this.remember("The mark");
    this.node.mark = this.node.mark === mark ? "" : mark;
    this.record.version += 1;
    this.changed();
  }

  /** Draws an arrow or a ring into the game, or takes it away. @param {string} from @param {string} to @param {import("./arrows.js").Colour} colour */
  toggleArrow(from, to, colour) {
    this.remember("The arrows");
    setArrows(this.node, toggled(arrowsOf(this.node), from, to, colour));
    this.record.version += 1;
    this.changed();
  }

  /** @param {string} text */
  setComment(text) {
    const words = text.replace(/[{}]/g, "").replace(/\s+/g, " ").trim();
    if (words === (this.node.comment ?? "")) return;
    this.remember("The comment");
    this.node.comment = words;
    this.record.version += 1;
    this.changed();
  }

  /** The variations that could be played instead of the current move, itself included. */
  siblings() {
    return this.node.parent?.children ?? [];
  }
}
