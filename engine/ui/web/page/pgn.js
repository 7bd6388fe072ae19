/** PGN: reads a game with its variations, and writes it. */

import { numberOf, START, turnOf } from "./chess.js";
import { fenProblem, looksLikeFen, needsChess960 } from "./fen.js";
import { GameRecord } from "./record.js";
import { Position } from "./rules.js";

/** @typedef {import("./record.js").Node} Node */
/** @typedef {import("./split.js").Entry} Entry */

const MARKS = ["", "!", "?", "!!", "??", "!?", "?!", "□"]; // by their numbers in PGN
const HEAD = /^(?:\s*\[\w+\s+"[^\n]*\n?|\s*\n|%[^\n]*\n?)+/; // the tags before the moves
const TOKEN = /\s+|\{([^}]*)\}?|;([^\n]*)|\$(\d+)|[()]|1-0|0-1|1\/2-1\/2|\*|[^\s(){};$]+/y;
const NULL_MOVES = ["--", "Z0", "null", "pass"];
const COLUMNS = 80;
const OPENING_PLIES = 36; // the longest named openings

/**
 * Reads one game. A move that cannot be read ends its line, and is named in `problem`; an Error says that there is no game.
 * @param {Entry} entry
 * @returns {{record: GameRecord, problem: string|null}}
 */
export function readGame({ headers, text }) {
  const { fen = START, variant = "Standard" } = { fen: headers.FEN, variant: headers.Variant };
  if (!/standard|960|fischer|from position|^chess$/i.test(variant)) throw new Error(`The page knows chess and Chess960, not ${variant}.`);
  const wrong = fenProblem(fen);
  if (wrong) throw new Error(`The game starts from an impossible position. ${wrong}`);
  const chess960 = /960|fischer/i.test(variant) || needsChess960(fen);
  const start = Position.fromFen(fen, chess960).fen();
  const record = new GameRecord({ start: start === START ? null : start, chess960, headers: { ...headers } });
  const reader = new MoveReader(record);
  reader.read(text.replace(HEAD, "").replace(/^%.*$/gm, ""));
  record.result = /^(1-0|0-1|1\/2-1\/2)$/.test(reader.result || headers.Result) ? reader.result || headers.Result : "*";
  if (!record.root.children.length && !headers.FEN && !Object.keys(headers).length) {
    throw new Error("This is neither a game in PGN nor a position in FEN.");
  }
  return { record, problem: reader.problem };
}

/** The first moves of a game in UCI, enough to name its opening. @param {Entry} entry @returns {string[]} */
export function openingMoves({ text }) {
  const moves = [];
  for (const { rules, move, isMain } of gameMoves(text, Position.fromFen(START), OPENING_PLIES)) if (isMain) moves.push(rules.uci(move));
  return moves;
}

/**
 * The moves of the main line and of its variations, as far as they are legal, each with the position before it. Comments are skipped.
 * @param {string} text @param {Position} start @param {number} most plies
 * @returns {Generator<{rules: Position, move: import("./rules.js").Move, isMain: boolean}>}
 */
export function* gameMoves(text, start, most) {
  const line = text.replace(HEAD, "").replace(/\{[^}]*\}?|;[^\n]*/g, " ");
  const stack = [];
  let here = { before: start, rules: start, plies: 0, dead: false };
  for (const [token] of line.matchAll(/[()]|[^\s()]+/g)) {
    if (token === "(") {
      stack.push(here);
      here = { ...here, rules: here.before, plies: here.plies - 1, dead: here.dead || !here.plies };
    } else if (token === ")") here = stack.pop() ?? here;
    const word = token === "(" || token === ")" ? "" : token.replace(/^(\d+\.*|\.+)/, "");
    if (!word || word.startsWith("$") || here.dead) continue;
    const { rules, plies } = here;
    const move = plies < most ? rules.fromSan(word) : null;
    if (!move && !stack.length) return;
    if (move) yield { rules, move, isMain: !stack.length };
    here = { before: rules, rules: move ? rules.after(move) : rules, plies: plies + 1, dead: !move };
  }
}

class MoveReader {
  /** @param {GameRecord} record */
  constructor(record) {
    this.record = record;
    this.node = record.root;
    /** The nodes to return to at the end of a variation. @type {{node: Node, dead: boolean}[]} */
    this.stack = [];
    this.dead = false; // the rest of this line cannot be read
    this.lead = ""; // the comment before the first move of a variation
    this.fresh = false; // at the start of a variation
    /** @type {string|null} */
    this.problem = null;
    this.result = "";
  }

  /** @param {string} text */
  read(text) {
    TOKEN.lastIndex = 0;
    for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) {
      const [token, comment, note, nag] = found;
      if (comment !== undefined || note !== undefined) this.comment(comment ?? note);
      else if (nag !== undefined) this.glyph(Number(nag));
      else if (token === "(") this.open();
      else if (token === ")") this.close();
      else if (/^(1-0|0-1|1\/2-1\/2|\*)$/.test(token)) {
        if (this.stack.length) continue;
        this.result = token;
        return;
      } else if (token.trim()) this.move(token);
    }
  }

  open() {
    this.stack.push({ node: this.node, dead: this.dead });
    if (!this.node.parent) this.dead = true; // a variation of nothing
    else this.node = this.node.parent;
    this.fresh = true;
  }

  close() {
    const before = this.stack.pop();
    if (!before) return;
    ({ node: this.node, dead: this.dead } = before);
    [this.fresh, this.lead] = [false, ""];
  }

  /** @param {string} words */
  comment(words) {
    if (this.dead) return;
    const text = words.replace(/\s+/g, " ").trim();
    if (this.fresh) this.lead = `${this.lead} ${text}`.trim();
    else addComment(this.node, text);
  }

  /** @param {number} nag */
  glyph(nag) {
    if (this.dead || this.fresh || !this.node.parent) return;
    if (MARKS[nag]) this.node.mark ||= MARKS[nag];
    else this.node.nags = [...(this.node.nags ?? []), nag];
  }

  /** @param {string} token a move, with its number before and its mark after it */
  move(token) {
    const word = token.replace(/^(\d+\.*|\.+)/, "");
    if (!word || this.dead || /^(e\.?p\.?|\+|#|=|\+\/?[-=]|-\/?\+)$/.test(word)) return;
    const [, san, mark] = /** @type {string[]} */ (/^(.*?)([!?]*)$/.exec(word));
    if (!san) {
      this.glyph(MARKS.indexOf(mark));
      return;
    }
    const rules = this.record.rulesAt(this.node);
    const passes = NULL_MOVES.includes(san);
    const move = passes ? null : rules.fromSan(san) ?? rules.fromUci(san.toLowerCase());
    if (!move && !passes) {
      this.problem ??= `${numberOf(this.node.fen)} ${san.slice(0, 12)} is not a legal move; the line ends there.`;
      this.dead = true;
      return;
    }
    this.node = this.record.extend(this.node, move);
    if (MARKS.includes(mark) && mark) this.node.mark = mark;
    if (this.lead) this.node.lead = this.lead;
    [this.fresh, this.lead] = [false, ""];
  }
}

/** Adds a comment to a node; of the commands in it the evaluation is read, the others are kept. @param {Node} node @param {string} words */
export function addComment(node, words) {
  const commands = words.match(/\[%[^\]]*\]/g) ?? [];
  const text = words.replace(/\[%[^\]]*\]/g, "").replace(/\s+/g, " ").trim();
  if (commands.length) node.commands = [...(node.commands ?? []), ...commands];
  if (text) node.comment = node.comment ? `${node.comment} ${text}` : text;
  const found = /\[%eval (#?)([+-]?[\d.]+)/.exec(words);
  if (!found) return;
  const value = Number(found[2]);
  if (Number.isFinite(value)) node.score = found[1] ? { mate: value } : { cp: Math.round(value * 100) };
}

const DRAWN = /^\[%c[as]l /;

/** The arrows and rings that a comment draws: "[%cal Ge2e4] [%csl Rd5]". @param {Node} node @returns {import("./arrows.js").Arrow[]} */
export function arrowsOf({ commands = [] }) {
  const drawn = commands.filter((command) => DRAWN.test(command)).join(" ");
  return [...drawn.matchAll(/([GRYB])([a-h][1-8])([a-h][1-8])?(?=[,\]])/g)].map(([, colour, from, to = from]) =>
    ({ from, to, type: "drawn", colour }));
}

/** Writes arrows and rings into a node's commands in place of those it had. @param {Node} node @param {import("./arrows.js").Arrow[]} arrows */
export function setArrows(node, arrows) {
  const command = (/** @type {string} */ name, /** @type {string[]} */ drawn) => (drawn.length ? [`[%${name} ${drawn.join(",")}]`] : []);
  const rings = arrows.filter(({ from, to }) => from === to).map(({ from, colour }) => `${colour}${from}`);
  const lines = arrows.filter(({ from, to }) => from !== to).map(({ from, to, colour }) => `${colour}${from}${to}`);
  node.commands = [...(node.commands ?? []).filter((other) => !DRAWN.test(other)), ...command("csl", rings), ...command("cal", lines)];
}

/** A game without moves that starts from a position. @param {string} text a FEN @param {boolean} [chess960] */
export function positionRecord(text, chess960 = needsChess960(text)) {
  if (!looksLikeFen(text)) throw new Error("This is neither a game in PGN nor a position in FEN.");
  const problem = fenProblem(text);
  if (problem) throw new Error(`This is not a possible position. ${problem}`);
  return readGame({ headers: { FEN: text.trim(), ...(chess960 ? { Variant: "Chess960" } : {}) }, text: "" }).record;
}

/** A game in PGN, with its variations, comments and marks. @param {GameRecord} record */
export function writeGame(record) {
  const headers = { Event: "Analysis", Site: "?", Date: "????.??.??", Round: "?", White: "?", Black: "?", ...record.headers, Result: record.result };
  if (record.chess960) headers.Variant = "Chess960";
  if (record.start && record.start !== START) Object.assign(headers, { SetUp: "1", FEN: record.start });
  const tags = Object.entries(headers).map(([name, value]) => `[${name} "${String(value).replace(/\s+/g, " ").replace(/["\\]/g, "\\$&")}"]`);
  return `${tags.join("\n")}\n\n${wrap([...remark(record.root), ...lineWords(record.root, true), record.result])}\n`;
}

/** @param {string[]} words */
function wrap(words) {
  const lines = [""];
  for (const word of words.join(" ").split(" ")) {
    const last = lines[lines.length - 1];
    if (!last) lines[lines.length - 1] = word;
    else if (last.length + word.length < COLUMNS) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

/**
 * The moves after a node as words of PGN.
 * @param {Node} from
 * @param {boolean} numbered whether Black's move needs its number
 * @returns {string[]}
 */
function lineWords(from, numbered) {
  const words = [];
  let fresh = numbered;
  for (let node = from; node.children.length; [node] = node.children) {
    const [first, ...others] = node.children;
    words.push(...moveWords(first, node, fresh));
    fresh = remark(first).length > 0 || others.length > 0;
    for (const other of others) {
      const inside = [...moveWords(other, node, true), ...lineWords(other, remark(other).length > 0)];
      words.push(`(${inside.join(" ")})`);
    }
  }
  return words;
}

/** @param {Node} node @param {Node} before @param {boolean} numbered @returns {string[]} */
function moveWords(node, before, numbered) {
  const lead = node.lead ? [braced(node.lead)] : [];
  const number = numbered || lead.length || turnOf(before.fen) === "white" ? [numberOf(before.fen)] : [];
  const mark = MARKS.indexOf(node.mark ?? "");
  const glyphs = [...(mark > 0 ? [mark] : []), ...(node.nags ?? [])].map((nag) => `$${nag}`);
  return [...lead, ...number, node.san ?? "", ...glyphs, ...remark(node)];
}

/** The commands and the comment of a node. @param {Node} node @returns {string[]} */
function remark(node) {
  const words = [...(node.commands ?? []), node.comment ?? ""].join(" ").trim();
  return words ? [braced(words)] : [];
}

/** @param {string} words */
const braced = (words) => `{${words.replace(/[{}]/g, "").replace(/\s+/g, " ")}}`;
