/** Input on a board: pieces are moved by dragging, by two clicks or with the keyboard; the right button draws arrows. */

import { FILES } from "./chess.js";

/** @typedef {import("./board.js").Board} Board */

const DRAG_THRESHOLD = 5; // pixels a finger may move before a press is a drag
/** The colours of arrows without a key, with Shift or Control, with Alt, and with both. @type {import("./arrows.js").Colour[]} */
const COLOURS = ["G", "R", "B", "Y"];
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class BoardInput {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {{square: string, element: HTMLElement, x: number, y: number, moving: boolean, again: boolean}|null} */
    this.drag = null;
    /** @type {string|null} */
    this.drawing = null;
    const { element, grid } = board;
    element.addEventListener("pointerdown", (event) => this.press(event));
    element.addEventListener("pointermove", (event) => this.moveDrag(event));
    element.addEventListener("pointerup", (event) => this.release(event));
    element.addEventListener("pointercancel", () => this.cancelDrag());
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    grid.addEventListener("keydown", (event) => this.handleKey(event));
    grid.addEventListener("focusin", (event) => this.board.setFocusable(event.target.dataset.square));
  }

  /** @param {PointerEvent} event @returns {string|null} the square under the pointer */
  squareAt(event) {
    const box = this.board.element.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * 8);
    const row = Math.floor(((event.clientY - box.top) / box.height) * 8);
    if (column < 0 || column > 7 || row < 0 || row > 7) return null;
    return this.board.flipped ? FILES[7 - column] + (row + 1) : FILES[column] + (8 - row);
  }

  /** @param {PointerEvent} event */
  press(event) {
    const square = this.squareAt(event);
    if (!square || event.target instanceof Element && event.target.closest(".promotion")) return;
    if (event.button === 2) {
      this.drawing = square;
      return;
    }
    if (event.button !== 0 || !event.isPrimary) return;
    const { board } = this;
    board.arrows.forget();
    if (board.options.onSquare?.(square)) return;
    const again = board.selected === square;
    const isTarget = board.selected !== null && board.targetsOf(board.selected).includes(square);
    if (isTarget || !board.canSelect(square)) {
      board.choose(square);
      return;
    }
    board.select(square);
    const element = board.pieces.get(square)?.element;
    if (!element) return;
    this.drag = { square, element, x: event.clientX, y: event.clientY, moving: false, again };
    board.element.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  moveDrag(event) {
    const { drag, board } = this;
    if (!drag) return;
    if (!drag.moving && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_THRESHOLD) return;
    drag.moving = true;
    drag.element.classList.add("dragged");
    const box = board.element.getBoundingClientRect();
    const side = box.width / 8;
    const x = event.clientX - box.left - side / 2;
    const y = event.clientY - box.top - side / 2;
    drag.element.style.transform = `translate(${x}px, ${y}px)`;
    this.hover(this.squareAt(event));
  }

  /** @param {string|null} square */
  hover(square) {
    if (square === this.hovered) return;
    if (this.hovered) this.board.squares.get(this.hovered)?.classList.remove("hovered");
    if (square) this.board.squares.get(square)?.classList.add("hovered");
    this.hovered = square;
  }

  /** @param {PointerEvent} event */
  release(event) {
    const { board, drag } = this;
    const square = this.squareAt(event);
    if (event.button === 2 && this.drawing && square) {
      const colour = COLOURS[Number(event.shiftKey || event.ctrlKey) + 2 * Number(event.altKey)];
      if (!board.options.onDraw?.(this.drawing, square, colour)) board.arrows.toggle(this.drawing, square, colour);
    }
    this.drawing = null;
    if (!drag) return;
    const { moving, again } = drag;
    this.cancelDrag();
    if (moving && square && square !== drag.square && board.targetsOf(drag.square).includes(square)) {
      board.element.classList.add("still");
      board.move(drag.square, square);
      window.requestAnimationFrame(() => window.requestAnimationFrame(() => board.element.classList.remove("still")));
    } else if (moving && !square && board.options.onOutside) {
      board.options.onOutside(drag.square);
    } else if (moving ? square !== drag.square : again) {
      board.deselect();
    }
  }

  cancelDrag() {
    const { drag, board } = this;
    this.hover(null);
    if (!drag) return;
    this.drag = null;
    drag.element.classList.remove("dragged");
    for (const [square, piece] of board.pieces) if (piece.element === drag.element) board.moveTo(drag.element, square);
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    const { board } = this;
    const target = /** @type {HTMLElement} */ (event.target);
    const square = target.dataset.square;
    if (!square || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") board.choose(square);
    else if (event.key === "Escape") board.deselect();
    else if (event.key === "Home" || event.key === "End") this.moveFocus(square, event.key === "Home" ? -7 : 7, 0);
    else if (event.key in STEPS) this.moveFocus(square, STEPS[event.key][0], STEPS[event.key][1]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Moves the focus in screen directions, staying on the board. @param {string} square @param {number} right @param {number} up */
  moveFocus(square, right, up) {
    const turn = this.board.flipped ? -1 : 1;
    const file = Math.min(7, Math.max(0, FILES.indexOf(square[0]) + right * turn));
    const rank = Math.min(8, Math.max(1, Number(square[1]) + up * turn));
    this.board.squares.get(FILES[file] + rank)?.focus();
  }
}
