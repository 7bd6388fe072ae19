/**
 * The rules of chess, for standard chess and Chess960: FEN, legal moves, SAN. The server checks every move again; the page
 * knows the rules itself so that games with variations, and thousands of games, open without a message for each move.
 *
 * Squares are numbered 16 * rank + file, so that a square off the board has a bit of 0x88 set. Pieces are 1 to 6 for White's
 * pawn, knight, bishop, rook, queen and king; Black's have 8 added.
 */

const LETTERS = " PNBRQK  pnbrqk";
const [PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING] = [1, 2, 3, 4, 5, 6];
const STRAIGHT = [1, -1, 16, -16];
const DIAGONAL = [15, 17, -15, -17];
const JUMPS = [31, 33, 14, 18, -31, -33, -14, -18];
const ALL = [...STRAIGHT, ...DIAGONAL];
const RAYS = { [BISHOP]: DIAGONAL, [ROOK]: STRAIGHT, [QUEEN]: ALL };
const NONE = -1;
const KEYS = makeKeys(16 * 128 + 129);

/** @typedef {{from: number, to: number, promotion: number, castle: number, ep: boolean}} Move castle is 0 to 3 for KQkq, or -1 */

/** Pseudo-random numbers below 2^53 for hashing, the same on every visit. @param {number} count */
function makeKeys(count) {
  const keys = { low: new Int32Array(count), high: new Int32Array(count) };
  let state = 0x9e3779b9;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return mixed ^ (mixed >>> 14);
  };
  for (let index = 0; index < count; index += 1) [keys.low[index], keys.high[index]] = [next(), next()];
  return keys;
}

/** @param {string} name "e4" */
export const squareOf = (name) => (name.charCodeAt(1) - 49) * 16 + name.charCodeAt(0) - 97;
/** @param {number} square */
export const nameOf = (square) => String.fromCharCode(97 + (square & 7), 49 + (square >> 4));

export class Position {
  constructor() {
    this.board = new Int8Array(128);
    this.turn = 0; // 0 for White, 8 for Black
    this.rooks = [NONE, NONE, NONE, NONE]; // the rooks that may castle: KQkq
    this.ep = NONE; // the square behind a pawn that has just made a double step
    this.half = 0;
    this.full = 1;
    this.kings = [NONE, NONE];
    this.chess960 = false;
    this.low = 0; // of the hash
    this.high = 0;
  }

  /** Reads a FEN, which the server has checked or the page has written. @param {string} fen @param {boolean} [chess960] */
  static fromFen(fen, chess960 = false) {
    const [rows, turn = "w", castling = "-", ep = "-", half = "0", full = "1"] = fen.trim().split(/\s+/);
    const position = new Position();
    rows.split("/").forEach((row, index) => {
      let square = (7 - index) * 16;
      for (const letter of row) {
        if (letter >= "1" && letter <= "8") square += Number(letter);
        else position.put(square++, LETTERS.indexOf(letter));
      }
    });
    if (turn === "b") position.pass();
    for (const letter of castling) if (letter !== "-") position.allowCastling(letter);
    position.ep = ep === "-" ? NONE : squareOf(ep);
    [position.half, position.full, position.chess960] = [Number(half) || 0, Number(full) || 1, chess960];
    return position;
  }

  /** @param {string} letter of KQkq or, as Shredder writes it, the rook's file */
  allowCastling(letter) {
    const black = letter === letter.toLowerCase();
    const king = this.kings[black ? 1 : 0];
    const rook = ROOK + (black ? 8 : 0);
    const home = black ? 112 : 0;
    const side = letter.toLowerCase();
    let found = home + side.charCodeAt(0) - 97;
    if (side === "k") for (found = home + 7; found > king && this.board[found] !== rook; found -= 1);
    if (side === "q") for (found = home; found < king && this.board[found] !== rook; found += 1);
    if (king === NONE || (found & 0x88) || this.board[found] !== rook || found >> 4 !== king >> 4) return;
    this.rooks[(black ? 2 : 0) + (found > king ? 0 : 1)] = found;
  }

  copy() {
    const other = new Position();
    other.board.set(this.board);
    other.rooks = this.rooks.slice();
    other.kings = this.kings.slice();
    other.turn = this.turn;
    other.ep = this.ep;
    other.half = this.half;
    other.full = this.full;
    other.chess960 = this.chess960;
    other.low = this.low;
    other.high = this.high;
    return other;
  }

  /** @param {number} index of a key */
  hash(index) {
    this.low ^= KEYS.low[index];
    this.high ^= KEYS.high[index];
  }

  /** @param {number} square @param {number} piece 0 to clear it */
  put(square, piece) {
    const before = this.board[square];
    if (before) this.hash(before * 128 + square);
    if (piece) this.hash(piece * 128 + square);
    this.board[square] = piece;
    if ((piece & 7) === KING) this.kings[piece >> 3] = square;
  }

  pass() {
    this.turn ^= 8;
    this.hash(16 * 128);
  }

  /** A number that is the same for the same pieces, side to move, castling rights and possible en passant. */
  key() {
    let { low, high } = this;
    this.rooks.forEach((rook, index) => { if (rook !== NONE) { low ^= KEYS.low[16 * 128 + 1 + index]; high ^= KEYS.high[16 * 128 + 1 + index]; } });
    if (this.ep !== NONE && this.epMoves().length) { low ^= KEYS.low[16 * 128 + 9 + (this.ep & 7)]; high ^= KEYS.high[16 * 128 + 9 + (this.ep & 7)]; }
    return (high & 0x1fffff) * 4294967296 + (low >>> 0);
  }

  fen() {
    const rows = [];
    for (let rank = 7; rank >= 0; rank -= 1) {
      let row = "";
      let empty = 0;
      for (let file = 0; file < 8; file += 1) {
        const piece = this.board[rank * 16 + file];
        if (!piece) { empty += 1; continue; }
        row += (empty || "") + LETTERS[piece];
        empty = 0;
      }
      rows.push(row + (empty || ""));
    }
    const right = (/** @type {number} */ rook, /** @type {number} */ index) => {
      if (rook === NONE) return "";
      const letter = this.chess960 ? nameOf(rook)[0] : "kqkq"[index];
      return index < 2 ? letter.toUpperCase() : letter;
    };
    const ep = this.ep !== NONE && this.epMoves().length ? nameOf(this.ep) : "-";
    return `${rows.join("/")} ${this.turn ? "b" : "w"} ${this.rooks.map(right).join("") || "-"} ${ep} ${this.half} ${this.full}`;
  }

  /** Whether a side attacks a square. @param {number} square @param {number} side 0 or 8 */
  attacked(square, side) {
    const { board } = this;
    const pawn = side ? 16 : -16;
    for (const aside of [1, -1]) {
      const from = square + pawn + aside;
      if (!(from & 0x88) && board[from] === PAWN + side) return true;
    }
    for (const jump of JUMPS) if (!((square + jump) & 0x88) && board[square + jump] === KNIGHT + side) return true;
    for (const step of ALL) if (!((square + step) & 0x88) && board[square + step] === KING + side) return true;
    return this.slides(square, STRAIGHT, ROOK + side, QUEEN + side) || this.slides(square, DIAGONAL, BISHOP + side, QUEEN + side);
  }

  /** @param {number} square @param {number[]} rays @param {number} one @param {number} other the pieces that may stand at the end of a ray */
  slides(square, rays, one, other) {
    for (const ray of rays) {
      let at = square + ray;
      while (!(at & 0x88) && !this.board[at]) at += ray;
      if (!(at & 0x88) && (this.board[at] === one || this.board[at] === other)) return true;
    }
    return false;
  }

  check() {
    const king = this.kings[this.turn >> 3];
    return king !== NONE && this.attacked(king, this.turn ^ 8);
  }

  /** The position after a move, which need not be legal; null passes. @param {Move|null} move */
  after(move) {
    const next = this.copy();
    const { turn } = this;
    next.ep = NONE;
    next.half += 1;
    if (turn) next.full += 1;
    next.pass();
    if (!move) return next;
    const piece = this.board[move.from];
    const type = piece & 7;
    if (type === PAWN || (this.board[move.to] && move.castle === NONE)) next.half = 0;
    if (move.castle !== NONE) {
      const home = turn ? 112 : 0;
      const short = move.castle % 2 === 0;
      next.put(move.from, 0);
      next.put(this.rooks[move.castle], 0);
      next.put(home + (short ? 6 : 2), piece);
      next.put(home + (short ? 5 : 3), ROOK + turn);
    } else {
      next.put(move.from, 0);
      next.put(move.to, move.promotion ? move.promotion + turn : piece);
      if (move.ep) next.put(move.to + (turn ? 16 : -16), 0);
      if (type === PAWN && Math.abs(move.to - move.from) === 32) next.ep = (move.to + move.from) / 2;
    }
    for (let index = 0; index < 4; index += 1) {
      const own = index >> 1 === turn >> 3;
      if (next.rooks[index] === move.to || next.rooks[index] === move.from || (own && type === KING)) next.rooks[index] = NONE;
    }
    return next;
  }

  /** Whether a move leaves its own king out of check. @param {Move} move */
  isSafe(move) {
    const next = this.after(move);
    const king = next.kings[this.turn >> 3];
    return king === NONE || !next.attacked(king, this.turn ^ 8);
  }

  /** All legal moves. @returns {Move[]} */
  moves() {
    const found = [];
    for (let square = 0; square < 120; square += 1) {
      if (square & 0x88) continue;
      const piece = this.board[square];
      if (piece && (piece & 8) === this.turn) this.addMoves(found, square, piece & 7);
    }
    this.addCastling(found);
    return found.filter((move) => this.isSafe(move));
  }

  /** Whether a side in check has a legal move; castling is none. */
  canMove() {
    for (let square = 0; square < 120; square += 1) {
      const piece = this.board[square];
      if (!piece || (square & 0x88) || (piece & 8) !== this.turn) continue;
      const found = [];
      this.addMoves(found, square, piece & 7);
      if (found.some((move) => this.isSafe(move))) return true;
    }
    return false;
  }

  /** @param {Move[]} found @param {number} from @param {number} type */
  addMoves(found, from, type) {
    if (type === PAWN) {
      this.addPawnMoves(found, from);
      return;
    }
    const steps = type === KNIGHT ? JUMPS : RAYS[type] ?? ALL;
    const far = type in RAYS;
    for (const step of steps) {
      for (let to = from + step; !(to & 0x88); to += step) {
        const there = this.board[to];
        if (!there || (there & 8) !== this.turn) found.push({ from, to, promotion: 0, castle: NONE, ep: false });
        if (there || !far) break;
      }
    }
  }

  /** @param {Move[]} found @param {number} from */
  addPawnMoves(found, from) {
    const { board, turn } = this;
    const up = turn ? -16 : 16;
    const add = (/** @type {number} */ to, ep = false) => {
      const last = to >> 4 === (turn ? 0 : 7);
      for (const promotion of last ? [QUEEN, KNIGHT, ROOK, BISHOP] : [0]) found.push({ from, to, promotion, castle: NONE, ep });
    };
    if (!((from + up) & 0x88) && !board[from + up]) {
      add(from + up);
      if (from >> 4 === (turn ? 6 : 1) && !board[from + 2 * up]) add(from + 2 * up);
    }
    for (const to of [from + up - 1, from + up + 1]) {
      if (to & 0x88) continue;
      if (board[to] && (board[to] & 8) !== turn) add(to);
      else if (to === this.ep && !board[to]) add(to, true);
    }
  }

  /** Legal captures en passant. */
  epMoves() {
    const found = [];
    const up = this.turn ? -16 : 16;
    for (const from of [this.ep - up - 1, this.ep - up + 1]) {
      if (!(from & 0x88) && this.board[from] === PAWN + this.turn) this.addPawnMoves(found, from);
    }
    return found.filter((move) => move.ep && this.isSafe(move));
  }

  /** @param {Move[]} found */
  addCastling(found) {
    const king = this.kings[this.turn >> 3];
    const home = this.turn ? 112 : 0;
    for (const castle of this.turn ? [2, 3] : [0, 1]) {
      const rook = this.rooks[castle];
      if (rook === NONE || king === NONE || this.check()) continue;
      const [kingTo, rookTo] = castle % 2 ? [home + 2, home + 3] : [home + 6, home + 5];
      const passed = span(king, kingTo);
      const free = [...passed, ...span(rook, rookTo)].every((square) => square === king || square === rook || !this.board[square]);
      if (!free || passed.some((square) => square !== king && this.attacked(square, this.turn ^ 8))) continue;
      found.push({ from: king, to: this.chess960 ? rook : kingTo, promotion: 0, castle, ep: false });
    }
  }

  /** @param {Move} move */
  uci(move) {
    return nameOf(move.from) + nameOf(move.to) + (move.promotion ? LETTERS[move.promotion + 8] : "");
  }

  /** The legal move of a UCI text; castling may name the king's destination or the rook. @param {string} text @returns {Move|null} */
  fromUci(text) {
    const moves = this.moves();
    const home = this.turn ? 112 : 0;
    const castles = (/** @type {Move} */ move) => move.castle !== NONE
      && [this.rooks[move.castle], home + (move.castle % 2 ? 2 : 6)].some((to) => nameOf(move.from) + nameOf(to) === text);
    return moves.find((move) => this.uci(move) === text) ?? moves.find(castles) ?? null;
  }

  /** A legal move in SAN. @param {Move} move @param {Move[]} [legal] all legal moves, if they are known */
  san(move, legal) {
    const next = this.after(move);
    const end = next.check() ? (next.canMove() ? "+" : "#") : "";
    if (move.castle !== NONE) return (move.castle % 2 ? "O-O-O" : "O-O") + end;
    const type = this.board[move.from] & 7;
    const takes = this.board[move.to] || move.ep ? "x" : "";
    const to = nameOf(move.to);
    if (type === PAWN) return (takes ? nameOf(move.from)[0] : "") + takes + to + (move.promotion ? `=${LETTERS[move.promotion]}` : "") + end;
    const rivals = (legal ?? this.movesTo(move.to, type)).filter((other) => other.to === move.to && other.from !== move.from && other.castle === NONE
      && this.board[other.from] === this.board[move.from] && (legal || this.isSafe(other)));
    const here = nameOf(move.from);
    const sameFile = rivals.some((other) => (other.from & 7) === (move.from & 7));
    const sameRank = rivals.some((other) => other.from >> 4 === move.from >> 4);
    const from = !rivals.length ? "" : !sameFile ? here[0] : !sameRank ? here[1] : here;
    return LETTERS[type] + from + takes + to + end;
  }

  /** The legal move of a SAN as people write it: `0-0`, `e8Q`, `Ngf3!`; null if there is none. @param {string} text @returns {Move|null} */
  fromSan(text) {
    const castling = /^[O0o]-?[O0o](-?[O0o])?/.exec(text);
    if (castling) {
      const found = [];
      this.addCastling(found);
      return found.find((move) => (move.castle % 2 === 1) === Boolean(castling[1]) && this.isSafe(move)) ?? null;
    }
    const parts = /^([KQRBNP]?)([a-h]?)([1-8]?)[x:-]?([a-h])([1-8])(?:=?\(?([QRBNqrbn])\)?)?/.exec(text);
    if (!parts) return null;
    const [, letter, file, rank, toFile, toRank, promoted] = parts;
    const type = letter ? LETTERS.indexOf(letter) : PAWN;
    const to = squareOf(toFile + toRank);
    const promotion = type === PAWN && toRank === (this.turn ? "1" : "8") ? LETTERS.indexOf((promoted ?? "Q").toUpperCase()) : 0;
    const moves = this.movesTo(to, type).filter((move) => move.promotion === promotion
      && (!file || (move.from & 7) === file.charCodeAt(0) - 97) && (!rank || move.from >> 4 === Number(rank) - 1));
    const legal = moves.filter((move) => this.isSafe(move));
    return legal.length === 1 ? legal[0] : null;
  }

  /** The moves of the pieces of a type to a square, legal or not. @param {number} to @param {number} type */
  movesTo(to, type) {
    const found = [];
    const piece = type + this.turn;
    for (let square = 0; square < 120; square += 1) if (this.board[square] === piece && !(square & 0x88)) this.addMoves(found, square, type);
    return found.filter((move) => move.to === to);
  }

  /** Whether neither side has the pieces to mate. */
  isDead() {
    const minors = [];
    for (let square = 0; square < 120; square += 1) {
      const type = this.board[square] & 7;
      if ((square & 0x88) || !type || type === KING) continue;
      if (type !== KNIGHT && type !== BISHOP) return false;
      minors.push({ type, dark: ((square >> 4) + square) % 2 === 0 });
    }
    return minors.length < 2 || (minors.every(({ type }) => type === BISHOP) && new Set(minors.map(({ dark }) => dark)).size === 1);
  }
}

/** The squares from one to another of the same rank, both included. @param {number} one @param {number} other */
function span(one, other) {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  return Array.from({ length: high - low + 1 }, (_, index) => low + index);
}
