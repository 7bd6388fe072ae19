/** What was played in many games, by position: the moves and their results, and the moves that stand in variations. */

import { START } from "./chess.js";
import { fenProblem, needsChess960 } from "./fen.js";
import { gameMoves } from "./pgn.js";
import { Position } from "./rules.js";

/** @typedef {{uci: string, san: string, white: number, draws: number, black: number, variations: number}} Played */

const PLIES = 30; // of each game
const SLICE = 10; // milliseconds of work, between which the page answers
const VARIATION = 3; // after the three results, the times that a move stands in a variation
const RESULTS = { "1-0": 0, "1/2-1/2": 1, "0-1": 2 };

export class OpeningIndex {
  constructor() {
    /** By the position's key: the results of each move, by its UCI. @type {Map<number, Map<string, number[]>>} */
    this.moves = new Map();
    this.done = 0;
    this.total = 0;
    this.cancelled = false;
  }

  /** Reads games, in slices of time; calls `progress` after each. Games without a result count as draws. @param {import("./split.js").Entry[]} entries @param {() => void} progress */
  async read(entries, progress) {
    this.total = entries.length;
    const usual = Position.fromFen(START);
    let began = performance.now();
    for (const entry of entries) {
      if (this.cancelled) return;
      const { FEN: fen } = entry.headers;
      if (!fen) this.add(entry, usual);
      else if (!fenProblem(fen)) this.add(entry, Position.fromFen(fen, /960|fischer/i.test(entry.headers.Variant ?? "") || needsChess960(fen)));
      this.done += 1;
      if (performance.now() - began < SLICE) continue;
      progress();
      await new Promise((resume) => { window.setTimeout(resume); });
      began = performance.now();
    }
    progress();
  }

  /** @param {import("./split.js").Entry} entry @param {Position} start */
  add({ headers, text }, start) {
    const result = RESULTS[headers.Result] ?? 1;
    for (const { rules, move, isMain } of gameMoves(text, start, PLIES)) {
      const key = rules.key();
      let moves = this.moves.get(key);
      if (!moves) this.moves.set(key, moves = new Map());
      const uci = rules.uci(move);
      let counts = moves.get(uci);
      if (!counts) moves.set(uci, counts = [0, 0, 0, 0]);
      counts[isMain ? result : VARIATION] += 1;
    }
  }

  /** The moves that were played in a position, the most frequent first. @param {Position} rules @returns {Played[]} */
  at(rules) {
    const found = [...(this.moves.get(rules.key()) ?? [])].flatMap(([uci, [white, draws, black, variations]]) => {
      const move = rules.fromUci(uci);
      return move ? [{ uci, san: rules.san(move), white, draws, black, variations }] : [];
    });
    const games = (/** @type {Played} */ { white, draws, black }) => white + draws + black;
    return found.sort((one, other) => games(other) - games(one));
  }
}
