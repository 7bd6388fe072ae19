/** The promotion dialog, over the file of the pawn. */

import { NAMES } from "./chess.js";
import { h } from "./dom.js";

/** @typedef {import("./board.js").Board} Board */

/**
 * Asks for the piece; resolves to "q", "n", "r", "b", or "" if the dialog was cancelled.
 * @param {Board} board
 * @param {string} square
 * @param {"white"|"black"} side
 * @returns {Promise<string>}
 */
export function askPromotion(board, square, side) {
  return new Promise((resolve) => {
    const before = /** @type {HTMLElement|null} */ (document.activeElement);
    const end = (/** @type {string} */ letter) => {
      veil.remove();
      if (before && board.element.contains(before)) before.focus();
      resolve(letter);
    };
    const buttons = ["q", "n", "r", "b"].map((letter) => h(
      `button.${side[0]}${letter.toUpperCase()}`,
      { type: "button", "aria-label": `Promote to ${NAMES[letter]}`, "data-promote": letter, onclick: () => end(letter) },
    ));
    const { x, y } = board.screenPosition(square);
    const box = h("div.choices", { role: "dialog", "aria-label": "Promote the pawn to" }, ...buttons);
    const veil = h("div.promotion", { onclick: (/** @type {Event} */ event) => event.target === veil && end("") }, box);
    box.style.left = `${x * 12.5}%`;
    box.classList.add(y === 0 ? "downwards" : "upwards");
    veil.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const at = buttons.indexOf(document.activeElement);
      const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key] ?? 0;
      if (event.key === "Escape") end("");
      else if (by) buttons[(at + by + 4) % 4].focus();
      else if (event.key === "Tab") buttons[(at + (event.shiftKey ? 3 : 1)) % 4].focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    board.element.append(veil);
    buttons[0].focus();
  });
}
