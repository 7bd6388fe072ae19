/** The player bars above and below the board: name, captured pieces, clock. */

import { capturedOf, sideOf } from "./chess.js";
import { h } from "./dom.js";

const LOW = 20000;

/** "4:07", "0:09.3", "1:02:11". @param {number} milliseconds */
export function clockText(milliseconds) {
  const left = Math.max(0, milliseconds);
  const seconds = Math.floor(left / 1000);
  const pad = (/** @type {number} */ number) => String(number).padStart(2, "0");
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
  const tenth = left < LOW ? `.${Math.floor(left / 100) % 10}` : "";
  return `${Math.floor(seconds / 60)}:${pad(seconds % 60)}${tenth}`;
}

export class PlayerBar {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.name = h("span.who");
    this.dots = h("span.dots", { role: "img", "aria-label": "is thinking" }, h("i"), h("i"), h("i"));
    this.captured = h("span.captured");
    this.clock = h("span.clock", { role: "timer" });
    host.replaceChildren(this.name, this.dots, this.captured, this.clock);
    this.left = 0;
    this.since = 0;
    this.running = false;
  }

  /** @param {{name: string, about: string, thinking: boolean}} who */
  showPlayer({ name, about, thinking }) {
    this.name.replaceChildren(name, " ", h("small", {}, about));
    this.dots.hidden = !thinking;
  }

  /** Shows the pieces that the side has captured. @param {"white"|"black"} side @param {string} start @param {string} fen */
  showCaptured(side, start, fen) {
    const captures = capturedOf(start, fen);
    const letters = side === "white" ? captures.black : captures.white;
    const ahead = side === "white" ? captures.balance : -captures.balance;
    let before = "";
    const pieces = [...letters].map((letter) => {
      const fresh = letter !== before;
      before = letter;
      return h(`i.${sideOf(letter)[0]}${letter.toUpperCase()}${fresh ? ".new" : ""}`);
    });
    this.captured.replaceChildren(...pieces, ...(ahead > 0 ? [h("span.ahead", {}, `+${ahead}`)] : []));
    if (letters) this.captured.setAttribute("aria-label", `captured ${letters.length} ${letters.length === 1 ? "piece" : "pieces"}`);
    else this.captured.removeAttribute("aria-label");
    this.captured.setAttribute("role", "img");
  }

  /** @param {number|null} left milliseconds, null for a game without clocks @param {boolean} running */
  setClock(left, running) {
    this.clock.hidden = left === null;
    this.left = left ?? 0;
    this.running = running;
    this.since = performance.now();
    this.tick();
  }

  now() {
    return this.running ? this.left - (performance.now() - this.since) : this.left;
  }

  tick() {
    const left = this.now();
    this.clock.textContent = clockText(left);
    this.clock.classList.toggle("running", this.running);
    this.clock.classList.toggle("low", left < LOW && this.running);
  }
}
