/** The form that starts a game. */

import { isChess960 } from "./chess.js";
import { byId } from "./dom.js";
import { saveSetting, loadSetting } from "./store.js";

const WORDS = [
  [400, "first steps"], [600, "beginner"], [900, "novice"], [1100, "casual player"], [1300, "improving player"],
  [1500, "club beginner"], [1700, "club player"], [1900, "strong club player"], [2100, "expert"],
  [2300, "candidate master"], [2500, "master"], [2700, "grandmaster"], [2800, "world class"],
];

/** @param {number|"max"} level */
export function levelWords(level) {
  if (level === "max") return "full strength";
  return /** @type {string} */ ((WORDS.find(([most]) => level <= most) ?? WORDS[WORDS.length - 1])[1]);
}

/** Offers another level after three wins or losses in a row. @param {any} game the last `game` message */
export function showSuggestion(game) {
  const suggestion = game.over ? game.suggestion ?? null : null;
  const [advice, button] = [byId("verdict-advice"), byId("play-suggested")];
  advice.hidden = button.hidden = !suggestion;
  if (!suggestion) return;
  const { level, text } = suggestion;
  advice.textContent = `${text[0].toUpperCase()}${text.slice(1)}.`;
  button.textContent = `Play level ${level}`;
}

/** @param {string} text "5+3" @returns {{base: number, increment: number}|null} in milliseconds */
function clockOf(text) {
  if (!text) return null;
  const [minutes, seconds] = text.split("+").map(Number);
  return { base: minutes * 60000, increment: seconds * 1000 };
}

export class NewGame {
  /** @param {{start: (gameOptions: Record<string, any>) => void, cancel: () => void}} options */
  constructor({ start, cancel }) {
    this.form = byId("new-game");
    /** @type {(number|"max")[]} */
    this.levels = [400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2600, 2800, "max"];
    this.form.addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      const gameOptions = this.gameOptions();
      saveSetting("new game", gameOptions);
      start(gameOptions);
    });
    for (const type of ["input", "change"]) this.form.addEventListener(type, () => this.refresh());
    byId("new-cancel").addEventListener("click", cancel);
    this.fill(loadSetting("new game", null));
  }

  /** Sets the fields to the options of the last game. @param {Record<string, any>|null} gameOptions */
  fill(gameOptions) {
    this.setLevel(gameOptions?.level ?? 800);
    if (gameOptions?.side) this.form.querySelector(`[name=side][value=${gameOptions.side}]`).checked = true;
    if (gameOptions?.clock) {
      const text = `${gameOptions.clock.base / 60000}+${gameOptions.clock.increment / 1000}`;
      const select = byId("new-clock");
      const preset = [...select.options].some((option) => option.value === text);
      select.value = preset ? text : "other";
      [byId("new-minutes").value, byId("new-increment").value] = text.split("+");
    }
    if (gameOptions) byId("new-delay").checked = gameOptions.delay;
    if (gameOptions) byId("new-manners").checked = Boolean(gameOptions.manners);
    this.refresh();
  }

  /** @param {(number|"max")[]} levels @param {Record<string, string>} descriptions what each of them does */
  setLevels(levels, descriptions) {
    const now = this.level();
    this.descriptions = descriptions;
    this.levels = levels;
    byId("new-level").max = levels.length - 1;
    this.setLevel(now);
    this.refresh();
  }

  /** @param {number|"max"} level */
  setLevel(level) {
    const at = this.levels.indexOf(level);
    byId("new-level").value = at >= 0 ? at : Math.min(2, this.levels.length - 1);
  }

  level() {
    return this.levels[Number(byId("new-level").value)];
  }

  /** Offers a game from a position. @param {string} fen */
  offer(fen) {
    byId("new-chess960").value = "fen";
    byId("new-fen").value = fen;
    this.form.querySelector(".more").open = true;
    const side = fen.split(" ")[1] === "b" ? "black" : "white";
    this.form.querySelector(`[name=side][value=${side}]`).checked = true;
    this.refresh();
  }

  refresh() {
    const level = this.level();
    const words = level === "max" ? "full strength" : `${level} · ${levelWords(level)}`;
    byId("new-level-words").textContent = words;
    const about = this.descriptions?.[level] ?? "";
    byId("new-level-about").textContent = about && `It ${about}.`;
    byId("new-level").setAttribute("aria-valuetext", words);
    byId("new-clock-other").hidden = byId("new-clock").value !== "other";
    byId("new-number-field").hidden = byId("new-chess960").value !== "number";
    byId("new-fen-field").hidden = byId("new-chess960").value !== "fen";
  }

  gameOptions() {
    const start = byId("new-chess960").value;
    const clock = byId("new-clock").value;
    const other = `${byId("new-minutes").value}+${byId("new-increment").value}`;
    const fen = start === "fen" ? byId("new-fen").value.trim() || null : null;
    return {
      level: this.level(),
      side: this.form.querySelector("[name=side]:checked").value,
      clock: clockOf(clock === "other" ? other : clock),
      start: fen,
      chess960: start === "random" ? true : start === "number" ? Number(byId("new-number").value) : fen !== null && isChess960(fen),
      delay: byId("new-delay").checked,
      manners: byId("new-manners").checked,
    };
  }

  /** @param {boolean} shown @param {boolean} cancellable */
  show(shown, cancellable) {
    this.form.hidden = !shown;
    byId("new-cancel").hidden = !cancellable;
  }
}
