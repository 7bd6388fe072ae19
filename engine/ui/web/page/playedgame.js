/** The game against the engine as the server tells it: a whole game, and what changes in it. */

import { writeGame } from "./pgn.js";
import { GameRecord } from "./record.js";

/** The game after a change; null if it is not a change of this game. @param {any} before @param {any} message */
export function changed(before, { kept, ...change }) {
  if (before?.id !== change.id || before.moves.length < kept) return null;
  const moves = [...before.moves.slice(0, kept), ...change.moves];
  return moves.length === change.ply ? { ...before, ...change, moves } : null;
}

/** The game as it stands, to be analysed, with the names of the players. @param {any} game */
export function recordOf({ start, chess960, moves, level, side, over }) {
  const names = { white: `Adversary ${level}`, black: `Adversary ${level}`, [side]: "You" };
  const headers = { Event: "Game against Adversary", White: names.white, Black: names.black };
  return new GameRecord({ start, chess960: Boolean(chess960), moves, headers, result: over?.result ?? "*" });
}

/** The game in PGN, with the clocks after each move. @param {any} game */
export function pgnOf({ start, chess960, moves, tags: headers = {}, over }) {
  const clocked = moves.map((/** @type {any} */ move) => (move.clock == null ? move : { ...move, commands: [clockCommand(move.clock)] }));
  const record = new GameRecord({ start, chess960: Boolean(chess960), moves: clocked, headers, result: over?.result ?? "*" });
  if (over) record.end(record.root).comment = over.reason;
  return writeGame(record);
}

/** A clock's reading as PGN writes it. @param {number} milliseconds */
function clockCommand(milliseconds) {
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = (milliseconds / 1000 % 60).toFixed(3).padStart(6, "0");
  return `[%clk ${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${seconds}]`;
}
