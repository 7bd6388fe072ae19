/** The panel of games: opens files, steps from game to game, keeps the changes, and annotates one or all. */

import { byId, download, h, toast } from "./dom.js";
import { GameList } from "./gamelist.js";
import { GameFile, Library } from "./library.js";
import { openingMoves } from "./pgn.js";
import { readGames } from "./reader.js";
import { isPersistent, saveTabValue, loadTabValue } from "./store.js";

/** @typedef {import("./reader.js").Batch} Batch */
/** @typedef {import("./split.js").Entry} Entry */
/** @typedef {import("./study.js").GameId} GameId */

const OWN = "My games";
const MOST_NAMES = 50; // openings of one request
const REFRESH = 150; // milliseconds between two looks at a file that is being read

export class Games {
  /**
   * @param {import("./connection.js").Connection} connection
   * @param {{open: (entry: Entry, gameId: GameId) => boolean, goTo: (ply: number) => void, shown: () => void}} options to show a game, and one of its moves, and after the file has changed
   */
  constructor(connection, options) {
    this.connection = connection;
    this.options = options;
    this.library = new Library();
    this.list = new GameList({ open: (number) => this.go(number), name: (entries) => this.nameOpenings(entries) });
    /** @type {GameFile|null} */
    this.file = null;
    /** The file that is read, or was read last. @type {GameFile|null} */
    this.reading = null;
    this.refreshed = 0;
    byId("games-file").addEventListener("change", () => this.choose(Number(byId("games-file").value)));
    byId("games-save").addEventListener("click", () => this.file && download(this.file.texts(), `${this.file.name.replace(/\.pgn$/i, "")}.pgn`));
    byId("games-own").addEventListener("click", () => this.openOwn());
    connection.on("welcome", ({ saves_games: saves }) => { byId("games-own").hidden = byId("games-report").hidden = !saves; this.list.draw(); });
    byId("games-report").addEventListener("click", () => this.report());
    byId("game-previous").addEventListener("click", () => this.step(-1));
    byId("game-next").addEventListener("click", () => this.step(1));
    this.reopen();
  }

  /** Opens the file that was open at the last visit. */
  async reopen() {
    const id = loadTabValue("file", null);
    const stored = await (id === null ? null : this.library.find(id));
    if (!stored) this.show();
    else await this.read(new GameFile(id, stored.name), this.library.read(id, stored.blob), false);
  }

  /**
   * Opens a file: several games are listed as they are read, and the first is shown; a single one is left to the caller.
   * @param {Blob} blob @param {string} name @param {number} [least] games that are a list
   * @returns {Promise<Entry|null|undefined>} the single game; null if there are several, undefined if there is none
   */
  async load(blob, name, least = 2) {
    const batches = readGames(blob);
    const { value: first } = await batches.next();
    if (!first || first.entries.length < least) {
      await batches.return(undefined);
      return first?.entries[0];
    }
    const file = new GameFile(Date.now(), name || nameOf(first.entries));
    this.library.add(file, blob).then((isStored) => {
      this.showFiles();
      if (isPersistent && !isStored) toast("The browser has no room to keep this file.", "error");
    });
    this.read(file, prepend(first, batches), true).then(
      (isShown) => { if (isShown) toast(`${file.entries.length} games. The first one is shown.`); },
      (error) => toast(error.message, "error"));
    return null;
  }

  /**
   * Makes a file the open one and lists its games as they are read, unless another file is opened meanwhile.
   * @param {GameFile} file @param {AsyncGenerator<Batch>} batches @param {boolean} showsFirst whether the first game is shown
   * @returns {Promise<boolean>} whether the file was read to its end and the first game is shown without a problem
   */
  async read(file, batches, showsFirst) {
    this.reading = file;
    let isShown = false;
    for await (const { entries, share } of batches) {
      if (this.reading !== file) return false;
      file.append(entries);
      if (this.file === file) this.showReading(share);
      else {
        this.use(file);
        isShown = showsFirst && this.go(0);
      }
    }
    if (this.reading !== file) return false;
    file.isComplete = true;
    byId("reading").hidden = true;
    this.list.refresh();
    this.options.shown();
    return isShown;
  }

  /** Shows how far the open file is read, at intervals. @param {number} share */
  showReading(share) {
    const now = performance.now();
    if (now - this.refreshed < REFRESH) return;
    this.refreshed = now;
    byId("reading").hidden = false;
    byId("reading-bar").value = share;
    byId("reading-words").textContent = `Reading: ${this.file?.entries.length} games`;
    this.list.refresh();
  }

  /** Opens the games that were played on this machine, here and in the terminal. */
  async openOwn() {
    try {
      const { pgn } = await this.connection.request("games");
      const blob = new Blob([pgn]);
      const known = await this.library.idOf(OWN, blob);
      if (known !== null) await this.choose(known); // with the changes made since
      else if (!pgn.trim()) toast("No game has been saved yet. A game is saved when it ends.");
      else await this.load(blob, OWN, 1);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "error");
    }
  }

  /** Shows what the games of the file have in common. */
  async report() {
    if (!this.file?.isComplete) return;
    const { Report } = await import("./report.js");
    new Report(this.connection, this.file.texts(), (number, ply) => { if (this.go(number)) this.options.goTo(ply); }).open();
  }

  /** Asks for the openings of games whose tags do not name them. @param {Entry[]} entries */
  async nameOpenings(entries) {
    if (!this.connection.ready) return;
    const nameless = entries.slice(0, MOST_NAMES);
    for (const { headers } of nameless) headers.Opening = ""; // asked for once
    const positions = nameless.map((entry) => ({ start: null, moves: entry.headers.FEN ? [] : openingMoves(entry) }));
    try {
      const { openings } = await this.connection.request("openings", { positions });
      openings.forEach((/** @type {any} */ opening, /** @type {number} */ index) => {
        if (opening) Object.assign(nameless[index].headers, { ECO: opening.code, Opening: opening.name });
      });
      this.list.forgetTexts();
      this.list.draw();
    } catch {
      // the list is useful without them
    }
  }

  /** @param {number} id of a file opened earlier */
  async choose(id) {
    const stored = await this.library.find(id);
    if (stored) await this.read(new GameFile(id, stored.name), this.library.read(id, stored.blob), true);
  }

  /** @param {GameFile} file */
  use(file) {
    this.file = file;
    saveTabValue("file", file.id);
    this.show();
  }

  show() {
    this.list.show(this.file);
    byId("games-empty").hidden = Boolean(this.file);
    byId("games-body").hidden = !this.file;
    this.showFiles();
    this.options.shown();
  }

  async showFiles() {
    const files = await this.library.files();
    byId("games-file").hidden = !files.length;
    byId("games-file").replaceChildren(...files.map(({ id, name }) => h("option", { value: id, selected: id === this.file?.id }, name)));
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

  /** Whether a game is one of the open file. @param {GameId|null} gameId */
  isOpen(gameId) {
    return gameId !== null && gameId.file === this.file?.id;
  }

  /** Marks the game that is shown. @param {GameId|null} gameId */
  mark(gameId) {
    const number = gameId && this.isOpen(gameId) ? gameId.number : null;
    this.list.mark(number);
    const count = this.file?.entries.length ?? 0;
    byId("game-nav").hidden = number === null || count < 2;
    byId("game-number").textContent = number === null ? "" : `${number + 1} of ${count}`;
    byId("game-previous").disabled = this.list.beside(-1) === null;
    byId("game-next").disabled = this.list.beside(1) === null;
  }

  /** Keeps a changed game in its file, whether that is open or not. @param {GameId} gameId @param {string} text */
  change(gameId, text) {
    if (gameId.file === this.reading?.id) this.reading.change(gameId.number, text);
    this.library.change(gameId, text);
    this.list.draw();
  }

  /** The games that pass the filter. @returns {{gameId: GameId, text: string}[]} */
  listed() {
    const { file } = this;
    return file ? this.list.shown.map((number) => ({ gameId: { file: file.id, number }, text: file.entries[number].text })) : [];
  }
}

/** @param {Batch} first @param {AsyncGenerator<Batch>} batches @returns {AsyncGenerator<Batch>} */
async function* prepend(first, batches) {
  yield first;
  yield* batches;
}

/** The name of a file that came without one, from its first game. @param {Entry[]} entries */
function nameOf([{ headers }]) {
  return headers.Event && headers.Event !== "?" ? headers.Event.slice(0, 60) : "Games";
}
