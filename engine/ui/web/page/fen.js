/** Checks positions that people type, paste or set up. */

import { FILES, piecesOf } from "./chess.js";
import { Position } from "./rules.js";

/** Whether a text looks like a FEN, right or wrong. @param {string} text */
export const looksLikeFen = (text) => !text.trim().includes("\n") && (text.trim().split(/\s+/)[0].match(/\//g) ?? []).length >= 5;

/** Whether a position can only be one of Chess960, by its castling rights. @param {string} fen */
export function needsChess960(fen) {
  const [, , castling = "-"] = fen.trim().split(/\s+/);
  if (/[^KQkq-]/.test(castling)) return true;
  const pieces = piecesOf(fen);
  const homes = { K: ["e1", "h1"], Q: ["e1", "a1"], k: ["e8", "h8"], q: ["e8", "a8"] };
  return [...castling].some((letter) => letter !== "-" && !atHome(pieces, letter, homes[letter]));
}

/** @param {Map<string, string>} pieces @param {string} letter @param {string[]} homes */
function atHome(pieces, letter, [king, rook]) {
  const white = letter === letter.toUpperCase();
  return pieces.get(king) === (white ? "K" : "k") && pieces.get(rook) === (white ? "R" : "r");
}

/** What is wrong with a FEN, as a sentence; null if a game can start from it. @param {string} fen @returns {string|null} */
export function fenProblem(fen) {
  const [rows = "", turn = "w", castling = "-", ep = "-"] = fen.trim().split(/\s+/);
  const ranks = rows.split("/");
  if (ranks.length !== 8) return `A position has 8 ranks, this one has ${ranks.length}.`;
  for (const [index, rank] of ranks.entries()) {
    const wrong = /[^pnbrqkPNBRQK1-8]/.exec(rank);
    if (wrong) return `“${wrong[0]}” in rank ${8 - index} is not a piece.`;
    const count = [...rank].reduce((sum, letter) => sum + (Number(letter) || 1), 0);
    if (count !== 8) return `Rank ${8 - index} has ${count} squares instead of 8.`;
  }
  if (turn !== "w" && turn !== "b") return `The side to move must be w or b, not “${turn}”.`;
  return pieceProblem(rows) ?? rightsProblem(fen, castling, ep) ?? checkProblem(fen);
}

/** @param {string} rows */
function pieceProblem(rows) {
  const count = (/** @type {string} */ letter) => rows.split(letter).length - 1;
  if (count("K") !== 1) return count("K") ? "White has more than one king." : "White has no king.";
  if (count("k") !== 1) return count("k") ? "Black has more than one king." : "Black has no king.";
  const ranks = rows.split("/");
  if (/p/i.test(ranks[0] + ranks[7])) return "A pawn stands on the first or last rank.";
  if (count("P") > 8 || count("p") > 8) return `${count("P") > 8 ? "White" : "Black"} has more than 8 pawns.`;
  return null;
}

/** @param {string} fen @param {string} castling @param {string} ep */
function rightsProblem(fen, castling, ep) {
  if (!/^(-|[KQkqA-Ha-h]{1,4})$/.test(castling)) return `“${castling}” is not a list of castling rights such as KQkq.`;
  const position = Position.fromFen(fen, true);
  const rights = position.rooks.filter((rook) => rook >= 0).length;
  if (castling !== "-" && rights < castling.length) return "A castling right needs the king and its rook on the first rank.";
  if (ep !== "-" && !/^[a-h][36]$/.test(ep)) return `“${ep}” is not a square for en passant.`;
  return null;
}

/** @param {string} fen */
function checkProblem(fen) {
  const position = Position.fromFen(fen, true);
  const waiting = position.turn ? 0 : 1;
  return position.attacked(position.kings[waiting], position.turn) ? `${waiting ? "Black" : "White"} is in check, but it is not ${waiting ? "Black" : "White"}’s move.` : null;
}

/** The FEN of the pieces on a board. @param {Map<string, string>} pieces */
export function rowsOf(pieces) {
  return [..."87654321"].map((rank) => [...FILES].map((file) => pieces.get(file + rank) ?? "1").join("").replace(/1+/g, (gap) => String(gap.length))).join("/");
}
