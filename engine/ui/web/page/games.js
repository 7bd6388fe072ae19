/** The panel of games: opens files, steps from game to game, keeps the changes, and annotates one or all. */

import { byId, download, h, toast } from "./dom.js";
import { GameList } from "./gamelist.js";
import { Library } from "./library.js";
import { openingMoves, splitGames } from "./pgn.js";
import { keepHere, recallHere } from "./store.js";

/** @typedef {import("./pgn.js").Entry} Entry */
/** @typedef {import("./library.js").GameFile} GameFile */
/** @typedef {import("./study.js").Place} Place */

const OWN = "My games";
const MOST_NAMES = 50; // openings of one request

export class Games {
  /**
   * @param {import("./talk.js").Talk} talk
   * @param {{open: (entry: Entry, place: Place) => boolean, shown: () => void}} options to show a game, and after the file has changed
   */
  constructor(talk, options) {
    this.talk = talk;
    this.options = options;
    this.library = new Library();
    this.list = new GameList({ open: (number) => this.go(number), name: (entries) => this.nameOpenings(entries) });
    /** @type {GameFile|null} */
    this.file = null;
    byId("games-file").addEventListener("change", () => this.choose(Number(byId("games-file").value)));
    byId("games-save").addEventListener("click", () => this.file && download(this.file.text(), `${this.file.name.replace(/\.pgn$/i, "")}.pgn`));
    byId("games-own").addEventListener("click", () => this.openOwn());
    talk.on("welcome", ({ saves_games: saves }) => { byId("games-own").hidden = !saves; this.list.draw(); });
    byId("game-previous").addEventListener("click", () => this.step(-1));
    byId("game-next").addEventListener("click", () => this.step(1));
    this.recall();
  }

  /** Opens the file that was open at the last visit. */
  async recall() {
    const id = recallHere("file", null);
    this.file = id === null ? null : await this.library.open(id);
    this.show();
  }

  /** Opens the games of a text as a file, and shows the first of them. @param {string} name @param {string} text @param {Entry[]} entries */
  async add(name, text, entries) {
    const file = await this.library.add(name, text, entries);
    this.use(file);
    if (this.go(0)) toast(`${entries.length} games. The first one is shown.`);
  }

  /** Opens the games that were played on this machine, here and in the terminal. */
  async openOwn() {
    try {
      const { pgn } = await this.talk.request("games");
      const [entries, known] = [splitGames(pgn), await this.library.find(OWN, pgn)];
      if (known) {
        this.use(known); // with the changes made since
        this.go(0);
      } else if (entries.length) await this.add(OWN, pgn, entries);
      else toast("No game has been saved yet. A game is saved when it ends.");
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  /** Asks for the openings of games whose tags do not name them. @param {Entry[]} entries */
  async nameOpenings(entries) {
    if (!this.talk.ready) return;
    const nameless = entries.slice(0, MOST_NAMES);
    for (const { headers } of nameless) headers.Opening = ""; // asked for once
    const positions = nameless.map((entry) => ({ start: null, moves: entry.headers.FEN ? [] : openingMoves(entry) }));
    try {
      const { openings } = await this.talk.request("openings", { positions });
      openings.forEach((/** @type {any} */ opening, /** @type {number} */ index) => {
        if (opening) Object.assign(nameless[index].headers, { ECO: opening.code, Opening: opening.name });
      });
      this.list.texts = null;
      this.list.draw();
    } catch {
      // the list is useful without them
    }
  }

  /** @param {number} id of a file opened earlier */
  async choose(id) {
    const file = await this.library.open(id);
    if (!file) return;
    this.use(file);
    this.go(0);
  }

  /** @param {GameFile} file */
  use(file) {
    this.file = file;
    keepHere("file", file.id);
    this.show();
  }

  async show() {
    this.list.show(this.file);
    byId("games-empty").hidden = Boolean(this.file);
    byId("games-body").hidden = !this.file;
    const files = await this.library.files();
    byId("games-file").hidden = !files.length;
    byId("games-file").replaceChildren(...files.map(({ id, name }) => h("option", { value: id, selected: id === this.file?.id }, name)));
    this.options.shown();
  }

  /** Shows a game of the file; returns whether it could be read. @param {number} number */
  go(number) {
    const entry = this.file?.entries[number];
    return this.file && entry ? this.options.open(entry, { file: this.file.id, number }) : false;
  }

  /** Shows the next or the previous game of the filtered list. @param {number} by */
  step(by) {
    const number = this.list.beside(by);
    if (number !== null) this.go(number);
  }

  /** Whether a game is one of the open file. @param {Place|null} place */
  isOpen(place) {
    return place !== null && place.file === this.file?.id;
  }

  /** Marks the game that is shown. @param {Place|null} place */
  mark(place) {
    const number = place && this.isOpen(place) ? place.number : null;
    this.list.mark(number);
    const count = this.file?.entries.length ?? 0;
    byId("game-nav").hidden = number === null || count < 2;
    byId("game-number").textContent = number === null ? "" : `${number + 1} of ${count}`;
    byId("game-previous").disabled = this.list.beside(-1) === null;
    byId("game-next").disabled = this.list.beside(1) === null;
  }

  /** Keeps a changed game in its file, whether that is open or not. @param {Place} place @param {string} text */
  change(place, text) {
    if (this.isOpen(place) && this.file) this.file.change(place.number, text);
    this.library.change(place, text);
    this.list.draw();
  }

  /** The games that pass the filter. @returns {{place: Place, text: string}[]} */
  listed() {
    const { file } = this;
    return file ? this.list.shown.map((number) => ({ place: { file: file.id, number }, text: file.entries[number].text })) : [];
  }
}

/** The name of a file that came without one, from its first game. @param {Entry[]} entries */
export function nameOf(entries) {
  const [{ headers }] = entries;
  const event = headers.Event && headers.Event !== "?" ? headers.Event : "Games";
  return `${event.slice(0, 40)} (${entries.length} games)`;
}

