/** A list of games, of which only the visible rows exist: players, result, opening, date, accuracy. */

import { byId, h } from "./dom.js";

/** @typedef {import("./split.js").Entry} Entry */
/** @typedef {import("./library.js").GameFile} GameFile */

const SPARE = 6; // rows beyond what is visible

/** @param {string|undefined} value */
const known = (value) => (value && !/^[?.\-*]+$/.test(value) ? value : "");

/** What the filter searches in. @param {Entry} entry */
const searchText = ({ headers }) => [headers.White, headers.Black, headers.Event, headers.Site, headers.Date, headers.Result, headers.ECO, headers.Opening].join(" ").toLowerCase();

/** "87 – 64 %" once the game is annotated. @param {Record<string, string>} headers */
function accuracyText({ WhiteAccuracy, BlackAccuracy }) {
  return WhiteAccuracy && BlackAccuracy ? `${Math.round(Number(WhiteAccuracy))} – ${Math.round(Number(BlackAccuracy))} %` : "";
}

/** The row that says the same already, so that a click on it is not lost; else the new one. @param {HTMLElement[]} old @param {HTMLElement} row */
const kept = (old, row) => old.find((other) => other.dataset.at === row.dataset.at && other.isEqualNode(row)) ?? row;

export class GameList {
  /** @param {{open: (number: number) => void, name: (entries: Entry[]) => void}} options to open a game, and to look up openings */
  constructor(options) {
    this.options = options;
    /** @type {GameFile|null} */
    this.file = null;
    /** The numbers of the games that pass the filter. @type {number[]} */
    this.shown = [];
    /** @type {number|null} */
    this.current = null;
    this.host = byId("games-list");
    this.space = h("div.space");
    this.host.replaceChildren(this.space);
    this.host.addEventListener("scroll", () => window.requestAnimationFrame(() => this.draw()), { passive: true });
    this.host.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.type(event));
    new ResizeObserver(() => this.draw()).observe(this.host);
    byId("games-filter").addEventListener("input", () => this.filter());
  }

  /** @param {GameFile|null} file */
  show(file) {
    this.file = file;
    this.forgetTexts();
    byId("games-filter").value = "";
    this.filter();
  }

  /** Has the filter search in the tags anew. */
  forgetTexts() {
    /** @type {string[]} */
    this.texts = [];
  }

  filter() {
    this.host.scrollTop = 0;
    this.refresh();
  }

  /** Lists the games that pass the filter; called again while a file is read. */
  refresh() {
    const words = byId("games-filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const { entries, isComplete } = this.file ?? { entries: [], isComplete: true };
    const { texts } = this;
    for (let number = texts.length; words.length && number < entries.length; number += 1) texts.push(searchText(entries[number]));
    this.shown = [...entries.keys()].filter((number) => words.every((word) => texts[number].includes(word)));
    const all = entries.length;
    const count = this.shown.length === all ? all : `${this.shown.length} of ${all}`;
    byId("games-count").textContent = all && isComplete ? `${count} ${all === 1 ? "game" : "games"}` : "";
    this.draw();
  }

  /** The height of a row in pixels. */
  rowHeight() {
    return parseFloat(getComputedStyle(this.host).getPropertyValue("--row")) * parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  draw() {
    const height = this.rowHeight();
    const first = Math.max(0, Math.floor(this.host.scrollTop / height) - SPARE);
    const last = Math.min(this.shown.length, Math.ceil((this.host.scrollTop + this.host.clientHeight) / height) + SPARE);
    this.space.style.height = `${this.shown.length * height}px`;
    const focused = this.host.contains(document.activeElement) ? Number(/** @type {HTMLElement} */ (document.activeElement).dataset.at) : NaN;
    const old = /** @type {HTMLElement[]} */ ([...this.space.children]);
    const rows = this.shown.slice(first, last).map((number, index) => kept(old, this.row(number, first + index, height)));
    if (rows.length !== old.length || rows.some((row, index) => row !== old[index])) this.space.replaceChildren(...rows);
    rows.find((row) => Number(row.dataset.at) === focused)?.focus({ preventScroll: true });
    const nameless = this.shown.slice(first, last).map((number) => /** @type {GameFile} */ (this.file).entries[number]).filter(({ headers }) => headers.Opening === undefined);
    if (nameless.length) this.options.name(nameless);
  }

  /** @param {number} number @param {number} at @param {number} height */
  row(number, at, height) {
    const { headers } = /** @type {GameFile} */ (this.file).entries[number];
    const here = number === this.current;
    const opening = [known(headers.ECO), known(headers.Opening)].filter(Boolean).join(" ") || known(headers.Event);
    const result = (headers.Result ?? "*").replace("1/2-1/2", "½–½").replace("-", "–").slice(0, 5);
    const row = h("button.game-row", { type: "button", "data-at": at, "data-number": number, "aria-current": here && "true", onclick: () => this.options.open(number) },
      h("span.who", {}, `${headers.White ?? "?"} – ${headers.Black ?? "?"}`), h("span.result", {}, result),
      h("span.opening-name", {}, opening), h("span.when", {}, accuracyText(headers) || known(headers.Date)));
    row.style.transform = `translateY(${at * height}px)`;
    return row;
  }

  /** Marks the game that is open, and scrolls to it. @param {number|null} number */
  mark(number) {
    if (number === this.current) return;
    this.current = number;
    const at = number === null ? -1 : this.shown.indexOf(number);
    const height = this.rowHeight();
    const { scrollTop, clientHeight } = this.host;
    if (at >= 0 && (at * height < scrollTop || (at + 1) * height > scrollTop + clientHeight)) this.host.scrollTop = at * height - clientHeight / 2;
    this.draw();
  }

  /** The game after or before the open one in the filtered list; null if there is none. @param {number} by */
  beside(by) {
    const at = this.current === null ? -1 : this.shown.indexOf(this.current);
    return this.shown[at + by] ?? null;
  }

  /** @param {KeyboardEvent} event */
  type(event) {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    const at = Number(/** @type {HTMLElement} */ (event.target).dataset.at);
    if (!by || Number.isNaN(at)) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.min(this.shown.length - 1, Math.max(0, at + by));
    const height = this.rowHeight();
    const top = Math.min(this.host.scrollTop, next * height);
    this.host.scrollTop = Math.max(top, (next + 1) * height - this.host.clientHeight);
    this.draw();
    this.space.querySelector(`[data-at="${next}"]`)?.focus({ preventScroll: true });
  }
}
