/** Chess on the page's side: parsing positions, moves and scores. The server knows the rules. */

export const FILES = "abcdefgh";
export const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
export const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const PIECE_VALUES = { p: 1, n: 3, b: 3, r: 5, q: 9, k: 0 };

/** @typedef {{fen: string, turn: "white"|"black", legal: Record<string, string[]>, promotions: string[],
 *   san: Record<string, string>, check: string|null, over: {result: string, reason: string}|null}} Position */
/** @typedef {{cp?: number, mate?: number, winner?: "white"|"black"}} Score a winner where the mate is on the board */

/**
 * The pieces of a position by square, as FEN letters.
 * @param {string} fen
 * @returns {Map<string, string>}
 */
export function piecesOf(fen) {
  const pieces = new Map();
  fen.split(" ")[0].split("/").forEach((row, index) => {
    let file = 0;
    for (const letter of row) {
      if (letter >= "1" && letter <= "8") file += Number(letter);
      else pieces.set(FILES[file++] + (8 - index), letter);
    }
  });
  return pieces;
}

/** @param {string} letter @returns {"white"|"black"} */
export const sideOf = (letter) => (letter === letter.toUpperCase() ? "white" : "black");

/** @param {string} fen @returns {"white"|"black"} */
export const turnOf = (fen) => (fen.split(" ")[1] === "b" ? "black" : "white");

/** The number of plies before a position, counted from the move number of its FEN. @param {string} fen */
export const plyOf = (fen) => 2 * (Number(fen.split(" ")[5] || 1) - 1) + (turnOf(fen) === "black" ? 1 : 0);

/** Whether castling rights are given by the rooks' files, as only Chess960 needs. @param {string} fen */
export const isChess960 = (fen) => /[^KQkq-]/.test(fen.split(" ")[2] ?? "");

/** "12." or "12..." for the move made in the position. @param {string} fen */
export function numberOf(fen) {
  return `${fen.split(" ")[5] || 1}.${turnOf(fen) === "black" ? ".." : ""}`;
}

/** @param {string} letter a FEN letter, "N" @returns {string} "white knight" */
export const pieceName = (letter) => `${sideOf(letter)} ${NAMES[letter.toLowerCase()]}`;

/**
 * A move as a screen reader says it: "Nxf3+" becomes "knight takes f3, check".
 * @param {string} san
 */
export function spoken(san) {
  const end = san.includes("#") ? ", checkmate" : san.includes("+") ? ", check" : "";
  if (san.startsWith("O-O-O")) return `castles queenside${end}`;
  if (san.startsWith("O-O")) return `castles kingside${end}`;
  const parts = /^([KQRBN]?)([a-h]?[1-8]?)(x?)([a-h][1-8])(?:=([QRBN]))?/.exec(san);
  if (!parts) return san;
  const [, piece, from, takes, to, promoted] = parts;
  const words = [piece ? NAMES[piece.toLowerCase()] : "", from, takes ? "takes" : "", to];
  const said = words.filter(Boolean).join(" ");
  return said + (promoted ? `, promotes to ${NAMES[promoted.toLowerCase()]}` : "") + end;
}

/**
 * Parses a move in SAN or UCI, ignoring case and marks; null if it is not a legal move.
 * @param {string} text
 * @param {Position} position
 * @returns {string|null} in UCI
 */
export function readMove(text, position) {
  const plain = (/** @type {string} */ san) => san.replace(/[+#!?=\s]/g, "").replace(/0/g, "O");
  const typed = plain(text.trim());
  const moves = Object.entries(position.san);
  const uci = text.trim().toLowerCase();
  const found = moves.find(([, san]) => plain(san) === typed)
    ?? moves.find(([move]) => move === uci)
    ?? moves.find(([move]) => move === `${uci}q`)
    ?? moves.find(([, san]) => plain(san) === `${typed}Q`);
  if (found) return found[0];
  const alike = moves.filter(([, san]) => plain(san).toLowerCase() === typed.toLowerCase());
  return new Set(alike.map(([, san]) => san)).size === 1 ? alike[0][0] : null;
}

/** @param {string} square @param {number} right @param {number} up */
export function step(square, right, up) {
  const file = FILES.indexOf(square[0]) + right;
  const rank = Number(square[1]) + up;
  return file >= 0 && file < 8 && rank >= 1 && rank <= 8 ? FILES[file] + rank : null;
}

const ROOK = [[1, 0], [-1, 0], [0, 1], [0, -1]];
const BISHOP = [[1, 1], [1, -1], [-1, 1], [-1, -1]];
const KNIGHT = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];
const DIRECTIONS = { r: ROOK, b: BISHOP, q: [...ROOK, ...BISHOP], k: [...ROOK, ...BISHOP], n: KNIGHT };

/**
 * The squares that a piece could reach on an empty board: the premoves that are allowed.
 * @param {string} square
 * @param {string} letter
 * @returns {string[]}
 */
export function reachOf(square, letter) {
  const pieceType = letter.toLowerCase();
  if (pieceType === "p") {
    const up = letter === "P" ? 1 : -1;
    const first = square[1] === (up === 1 ? "2" : "7");
    const ahead = [[0, up], [1, up], [-1, up], ...(first ? [[0, 2 * up]] : [])];
    return ahead.flatMap(([right, by]) => step(square, right, by) ?? []);
  }
  const most = pieceType === "n" || pieceType === "k" ? 1 : 7;
  const reached = DIRECTIONS[pieceType].flatMap(([right, up]) =>
    Array.from({ length: most }, (_, n) => step(square, right * (n + 1), up * (n + 1)) ?? []).flat());
  const castling = pieceType === "k" && square[0] === "e" ? [`g${square[1]}`, `c${square[1]}`] : [];
  return [...new Set([...reached, ...castling])];
}

/**
 * The pieces each side has lost since a position, and the balance of material in pawns, White's.
 * @param {string} start
 * @param {string} fen
 * @returns {{white: string, black: string, balance: number}}
 */
export function capturedOf(start, fen) {
  const count = (/** @type {string} */ from) => {
    const counts = {};
    for (const letter of piecesOf(from).values()) counts[letter] = (counts[letter] ?? 0) + 1;
    return counts;
  };
  const before = count(start);
  const now = count(fen);
  const missing = (/** @type {string} */ letters) =>
    [...letters].map((letter) => letter.repeat(Math.max(0, (before[letter] ?? 0) - (now[letter] ?? 0)))).join("");
  let balance = 0;
  for (const [letter, number] of Object.entries(now)) {
    balance += (sideOf(letter) === "white" ? 1 : -1) * number * PIECE_VALUES[letter.toLowerCase()];
  }
  return { white: missing("QRBNP"), black: missing("qrbnp"), balance };
}

/**
 * The result from the point of view of one side: "You won: checkmate."
 * @param {{result: string, reason: string}} over
 * @param {"white"|"black"} side
 */
export function verdictOf({ result, reason }, side) {
  const won = { "1-0": "white", "0-1": "black" }[result];
  const head = won ? (won === side ? "You won" : "Adversary won") : result === "1/2-1/2" ? "A draw" : "The game is over";
  const why = reason.replace(/^draw:? /, "").replace(/^(White|Black)/, (who) => (who.toLowerCase() === side ? "you" : "Adversary"));
  return `${head}: ${why}.`;
}

/** Centipawns as "+0.35" or "−1.20". @param {number} cp */
export const pawns = (cp) => `${cp < 0 ? "−" : "+"}${(Math.abs(cp) / 100).toFixed(2)}`;

/** "+0.35", "−1.20", "#4", "−#2", for White. @param {Score|null|undefined} score */
export function scoreText(score) {
  if (!score) return "";
  if (score.winner) return "#";
  if (score.mate !== undefined && score.mate !== null) return score.mate < 0 ? `−#${-score.mate}` : `#${score.mate}`;
  const cp = score.cp ?? 0;
  return cp === 0 ? "0.00" : pawns(cp);
}

/**
 * White's expected score, 0 to 1. At +100 on the engine's scale a win is as likely as a draw: 0.75.
 * @param {Score} score
 * @param {number[]} [wdl] thousandths
 */
export function shareOf(score, wdl) {
  if (score.winner) return score.winner === "white" ? 1 : 0;
  if (score.mate !== undefined && score.mate !== null) return score.mate > 0 ? 1 : 0;
  if (wdl) return (wdl[0] + wdl[1] / 2) / 1000;
  return 1 / (1 + 3 ** (-(score.cp ?? 0) / 100));
}

/** A share of one as "41 %". @param {number} share */
export const percent = (share) => (share < 0.005 ? "< 1 %" : `${Math.round(share * 100)} %`);

/** 1234567 as "1.2 M". @param {number} number */
export function short(number) {
  if (number >= 1e9) return `${(number / 1e9).toFixed(1)} G`;
  if (number >= 1e6) return `${(number / 1e6).toFixed(1)} M`;
  if (number >= 1e4) return `${Math.round(number / 1e3)} k`;
  return String(Math.round(number));
}
