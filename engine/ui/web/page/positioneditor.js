/** The position editor: pieces are dragged or placed, and the FEN says at once whether a game can start from it. */

import { Board } from "./board.js";
import { FILES, pieceName, piecesOf, START } from "./chess.js";
import { announce, byId, h, icon } from "./dom.js";
import { fenProblem, needsChess960, rowsOf } from "./fen.js";

const EMPTY = "8/8/8/8/8/8/8/8 w - - 0 1";
const SQUARES = [..."12345678"].flatMap((rank) => [...FILES].map((file) => file + rank));
const RIGHTS = { K: "White O-O", Q: "White O-O-O", k: "Black O-O", q: "Black O-O-O" };
const HAND = "hand"; // the tool that moves pieces

/** The first rank of a Chess960 start, by its number. @param {number} number 0 to 959 */
export function chess960Start(number) {
  const row = Array(8).fill("");
  const free = () => row.flatMap((letter, index) => (letter ? [] : [index]));
  let left = number;
  const take = (/** @type {number} */ by) => { const rest = left % by; left = Math.floor(left / by); return rest; };
  row[2 * take(4) + 1] = "b";
  row[2 * take(4)] = "b";
  row[free()[take(6)]] = "q";
  const knights = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]][left];
  const places = free();
  for (const at of knights) row[places[at]] = "n";
  for (const letter of ["r", "k", "r"]) row[free()[0]] = letter;
  const line = row.join("");
  return `${line}/pppppppp/8/8/8/8/PPPPPPPP/${line.toUpperCase()} w KQkq - 0 1`;
}

/** @param {string} label @param {any} input */
const field = (label, input) => h("label.field", {}, h("span", {}, label), input);
/** @param {string} words @param {string} name @param {string} [type] */
const button = (words, name, type = "button") => h(type, { type: "button", "data-act": name }, words);

export class Editor {
  /** @param {{analyse: (fen: string, chess960: boolean) => void, play: (fen: string) => void}} options */
  constructor(options) {
    this.options = options;
    /** @type {Map<string, string>} */
    this.pieces = new Map();
    this.tool = HAND;
    this.dialog = byId("editor");
    this.host = h("div.host");
    this.palette = h("div.palette", { role: "group", "aria-label": "Pieces" });
    this.turns = ["White", "Black"].map((side) => h("input", { type: "radio", name: "editor-turn", value: side[0].toLowerCase() }));
    this.rights = Object.keys(RIGHTS).map((right) => h("input", { type: "checkbox", value: right, "data-right": right }));
    this.ep = h("select", { "data-field": "ep" });
    this.number = h("input", { type: "number", min: 0, max: 959, value: 518, "data-field": "number" });
    this.chess960 = h("input", { type: "checkbox" });
    this.text = h("input", { type: "text", spellcheck: "false", autocomplete: "off", "data-field": "fen" });
    this.problem = h("p.problem", { role: "status" });
    this.build();
    this.board = new Board(this.host, {
      label: "Position to edit", onMove: (uci) => this.carry(uci), onSquare: (square) => this.applyTool(square), onOutside: (square) => this.put(square, null),
    });
    this.fillPalette();
    this.bind();
  }

  build() {
    const sides = this.turns.map((input, index) => h("label", {}, input, h("span", {}, ["White", "Black"][index])));
    const rights = this.rights.map((input) => h("label.switch", {}, input, h("span", {}, RIGHTS[input.value])));
    this.dialog.replaceChildren(h("h2", {}, "Edit the position"), h("div.editor-body", {},
      h("div", {}, this.host, this.palette),
      h("div.editor-fields", {},
        h("fieldset.choice", {}, h("legend", {}, "Side to move"), ...sides),
        h("fieldset.ticks", {}, h("legend", {}, "Castling"), ...rights),
        h("div.pair", {}, field("En passant", this.ep), field("Chess960 number", this.number)),
        h("label.switch", {}, this.chess960, h("span", {}, "Chess960")),
        field("FEN", this.text), this.problem,
        h("div.actions", {}, button("Clear board", "clear", "button.quiet"), button("Start position", "start", "button.quiet"), button("Flip board", "flip", "button.quiet")),
        h("div.actions", {}, button("Analyse", "analyse", "button.primary"), button("Play from here", "play"), button("Cancel", "cancel", "button.quiet")))));
  }

  bind() {
    for (const input of [...this.turns, ...this.rights, this.ep, this.chess960]) input.addEventListener("change", () => this.show());
    this.text.addEventListener("input", () => this.read(this.text.value, true));
    this.number.addEventListener("change", () => {
      this.chess960.checked = true;
      this.read(chess960Start(Math.min(959, Math.max(0, Math.round(Number(this.number.value)) || 0))), false);
    });
    const acts = {
      clear: () => this.read(EMPTY, false), start: () => { this.chess960.checked = false; this.read(START, false); }, flip: () => this.board.flip(!this.board.flipped),
      cancel: () => this.dialog.close(), analyse: () => { this.dialog.close(); this.options.analyse(this.fen(), this.chess960.checked); },
      play: () => { this.dialog.close(); this.options.play(this.fen()); },
    };
    for (const [name, act] of Object.entries(acts)) this.dialog.querySelector(`[data-act=${name}]`).addEventListener("click", act);
  }

  /** The pieces to choose from: a click chooses one for placing, and it can be dragged to the board. */
  fillPalette() {
    const tool = (/** @type {string} */ name, /** @type {string} */ label, /** @type {any} */ content, classes = "") => h(`button.tool${classes}`, {
      type: "button", "aria-label": label, title: label, "aria-pressed": "false", "data-tool": name, onclick: () => this.choose(name),
      onpointerdown: (/** @type {PointerEvent} */ event) => this.drag(event, name),
    }, content);
    const pieces = [..."KQRBNPkqrbnp"].map((letter) => tool(letter, `Place a ${pieceName(letter)}`, null, `.${letter === letter.toUpperCase() ? "w" : "b"}${letter.toUpperCase()}`));
    this.palette.replaceChildren(tool(HAND, "Move pieces", "✥"), ...pieces, tool("", "Remove pieces", icon("delete")));
    this.choose(HAND);
  }

  /** @param {string} name */
  choose(name) {
    this.tool = name;
    for (const button of this.palette.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.tool === name));
    this.show();
  }

  /** Drags a piece from the palette to the board. @param {PointerEvent} start @param {string} letter */
  drag(start, letter) {
    if (letter === HAND || !letter || start.button !== 0) return;
    const side = this.board.element.clientWidth / 8;
    const ghost = h(`div.piece.ghost.${letter === letter.toUpperCase() ? "w" : "b"}${letter.toUpperCase()}`);
    ghost.style.width = `${side}px`;
    ghost.style.height = `${side}px`;
    const move = (/** @type {PointerEvent} */ event) => {
      if (!ghost.isConnected) this.dialog.append(ghost);
      ghost.style.transform = `translate(${event.clientX - side / 2}px, ${event.clientY - side / 2}px)`;
    };
    const end = (/** @type {PointerEvent} */ event) => {
      ghost.remove();
      for (const [type, act] of [["pointermove", move], ["pointerup", end], ["pointercancel", end]]) document.removeEventListener(/** @type {string} */ (type), /** @type {any} */ (act));
      const square = event.type === "pointerup" ? this.board.input.squareAt(event) : null;
      if (square) this.put(square, letter);
    };
    for (const [type, act] of [["pointermove", move], ["pointerup", end], ["pointercancel", end]]) document.addEventListener(/** @type {string} */ (type), /** @type {any} */ (act));
  }

  /** Opens the editor with a position. @param {string} fen @param {boolean} chess960 @param {boolean} flipped */
  open(fen, chess960, flipped) {
    this.chess960.checked = chess960;
    this.choose(HAND);
    this.dialog.showModal();
    this.board.flip(flipped);
    this.read(fen, false);
  }

  /** Takes over a FEN, as far as it can be read. @param {string} fen @param {boolean} typed whether to leave the field alone */
  read(fen, typed) {
    const [, turn = "w", rights = "-", ep = "-", half = "0", full = "1"] = fen.trim().split(/\s+/);
    this.pieces = piecesOf(fen);
    this.counts = { half: Number(half) || 0, full: Number(full) || 1 };
    this.turns[turn === "b" ? 1 : 0].checked = true;
    if (typed && !fenProblem(fen)) this.chess960.checked = needsChess960(fen);
    const outer = this.rightsOf(rights);
    for (const box of this.rights) box.checked = outer.includes(box.value);
    this.show(typed, ep);
  }

  /** Castling rights as KQkq, also when they are given by files. @param {string} rights */
  rightsOf(rights) {
    const king = (/** @type {string} */ letter) => [...this.pieces].find(([, piece]) => piece === letter)?.[0] ?? "e1";
    return [...rights].map((letter) => {
      if (/[KQkq-]/.test(letter)) return letter;
      const white = letter === letter.toUpperCase();
      const short = letter.toLowerCase() > king(white ? "K" : "k")[0];
      return white ? (short ? "K" : "Q") : short ? "k" : "q";
    });
  }

  /** @param {string} square @param {string|null} letter */
  put(square, letter) {
    if (letter) this.pieces.set(square, letter);
    else this.pieces.delete(square);
    this.show();
    announce(letter ? `${pieceName(letter)} on ${square}` : `${square} is empty`);
  }

  /** Uses the chosen tool on a square; returns whether there is one. @param {string} square */
  applyTool(square) {
    if (this.tool === HAND) return false;
    this.put(square, this.pieces.get(square) === this.tool ? null : this.tool || null);
    return true;
  }

  /** Moves a piece from square to square. @param {string} uci */
  carry(uci) {
    const letter = this.pieces.get(uci.slice(0, 2));
    this.pieces.delete(uci.slice(0, 2));
    if (letter) this.put(uci.slice(2, 4), letter);
  }

  turn() {
    return this.turns[1].checked ? "b" : "w";
  }

  /** The squares behind a pawn that may just have made a double step. */
  epSquares() {
    const [pawn, rank, behind, start] = this.turn() === "w" ? ["p", "5", "6", "7"] : ["P", "4", "3", "2"];
    return [...FILES].filter((file) => this.pieces.get(file + rank) === pawn && !this.pieces.has(file + behind) && !this.pieces.has(file + start)).map((file) => file + behind);
  }

  fen() {
    const rights = this.rights.filter((box) => box.checked).map((box) => box.value).join("") || "-";
    const { half, full } = this.counts ?? { half: 0, full: 1 };
    return `${rowsOf(this.pieces)} ${this.turn()} ${rights} ${this.ep.value || "-"} ${half} ${full}`;
  }

  /** @param {boolean} [typed] whether the FEN was typed @param {string} [ep] the square that it names */
  show(typed = false, ep = this.ep.value) {
    this.ep.replaceChildren(h("option", { value: "" }, "None"), ...this.epSquares().map((square) => h("option", { value: square, selected: square === ep }, square)));
    const legal = Object.fromEntries([...this.pieces.keys()].map((square) => [square, SQUARES.filter((other) => other !== square)]));
    this.board.show({ fen: `${rowsOf(this.pieces)} w - - 0 1`, legal, movable: "both" });
    if (!typed) this.text.value = this.fen();
    const problem = fenProblem(this.text.value) ?? this.rightsProblem();
    this.problem.textContent = problem ?? "";
    for (const name of ["analyse", "play"]) this.dialog.querySelector(`[data-act=${name}]`).disabled = Boolean(problem);
  }

  /** Castling from other squares than the usual ones is a matter of Chess960. */
  rightsProblem() {
    return !this.chess960.checked && needsChess960(this.fen()) ? "For castling from these squares, switch Chess960 on." : null;
  }
}
