/** What is known without a search: the opening explorer (book, open file, one's own games) and the endgame tables. */

import { percent } from "./chess.js";
import { byId, h, toast } from "./dom.js";
import { readAllGames } from "./reader.js";

/** @typedef {import("./record.js").Node} Node */
/** @typedef {import("./openings.js").OpeningIndex} OpeningIndex */
/** @typedef {"book"|"file"|"own"} Source */

export class Explorer {
  /**
   * @param {import("./connection.js").Connection} connection
   * @param {import("./study.js").Study} study
   * @param {{file: () => import("./library.js").GameFile|null, play: (uci: string) => void, named: () => void}} options the open file, to play a move, and after an opening was named
   */
  constructor(connection, study, options) {
    this.connection = connection;
    this.study = study;
    this.options = options;
    /** @type {Source} */
    this.source = "book";
    /** The indices that were made, by what they were made of. @type {Map<string, OpeningIndex>} */
    this.indices = new Map();
    /** The answers of book and endgame tables. @type {WeakMap<Node, {moves: any[], table: string|null}>} */
    this.book = new WeakMap();
    for (const radio of byId("explorer").querySelectorAll("[name=explorer]")) {
      radio.addEventListener("change", () => { this.source = radio.value; this.show(); });
    }
    connection.on("welcome", ({ saves_games: saves }) => { byId("explorer-own").hidden = byId("learn").hidden = !saves; });
    for (const button of byId("learn").querySelectorAll("button")) button.addEventListener("click", () => this.learn(button.value));
  }

  /** Makes a repertoire of what is chosen, or practises those that are kept. @param {string} side empty for these */
  learn(side) {
    const { study } = this;
    const what = byId("learn-what").value;
    const file = this.options.file();
    const name = [study.record.headers.White, study.record.headers.Black].filter((player) => player && player !== "?").join(" - ");
    if (!side) this.options.practise("recall", {});
    else if (what === "book") this.options.practise("learn", { side, title: study.record.openingAt(study.node)?.name ?? "the book", ...study.record.positionFields(study.node) });
    else if (what === "game") this.options.practise("learn", { side, title: study.record.headers.Event?.replace("?", "") || name || study.record.openingAt(study.record.end(study.record.root))?.name || "my game", pgn: study.pgn() });
    else if (!file?.isComplete) toast("Load a PGN file first.");
    else this.options.practise("learn", { side, title: file.name, pgn: file.entries.map(({ text }) => text.trim()).join("\n\n") });
  }

  /** Asks for the name of the opening and the moves of the book. */
  async lookUp() {
    const { node, record } = this.study;
    if (this.book.has(node) || !this.connection.ready) return;
    try {
      const { opening, book, table } = await this.connection.request("explore", record.positionFields(node));
      node.opening = opening;
      this.book.set(node, { moves: book, table });
      if (this.study.node !== node) return;
      this.options.named();
      this.show();
    } catch (error) {
      if (this.connection.ready) toast(/** @type {Error} */ (error).message, "error");
    }
  }

  show() {
    const table = this.book.get(this.study.node)?.table;
    byId("table-verdict").hidden = !table;
    byId("table-verdict").textContent = table ? `Endgame tables: ${table}` : "";
    if (this.source === "book") this.showBook();
    else this.showGames();
  }

  showBook() {
    const moves = this.book.get(this.study.node)?.moves;
    const rows = (moves ?? []).map(({ uci, san, share, opening }) => {
      const bar = h("div.meter");
      bar.style.width = `${share * 100}%`;
      return this.row(uci, san, opening?.name ?? "", bar, percent(share));
    });
    this.fill(rows, moves ? "This position is not in the book." : "");
  }

  /** @param {string} uci @param {string} san @param {string} words @param {HTMLElement} bar @param {string} number */
  row(uci, san, words, bar, number) {
    return h("tr", {}, h("td", {}, h("button.quiet", { type: "button", onclick: () => this.options.play(uci) }, san)),
      h("td.share", {}, bar, words ? h("span.name", {}, words) : null), h("td.number", {}, number));
  }

  /** @param {any[]} rows @param {string} defaultValue */
  fill(rows, defaultValue) {
    byId("book").replaceChildren(rows.length ? h("table", {}, h("tbody", {}, ...rows)) : h("p.faint", {}, defaultValue));
  }

  /** The index of the chosen games; it is made when it is first asked for, and undefined until then. @returns {OpeningIndex|null|undefined} */
  index() {
    const file = this.options.file();
    const name = this.source === "own" ? "own" : file ? `file ${file.id}` : "";
    if (!name) return null;
    if (this.source === "file" && !file?.isComplete) return undefined;
    const known = this.indices.get(name);
    if (known) return known;
    for (const [other, old] of this.indices) if (other.startsWith("file") && name.startsWith("file")) { old.cancelled = true; this.indices.delete(other); }
    if (!this.Index) {
      import("./openings.js").then(({ OpeningIndex }) => { this.Index = OpeningIndex; this.show(); });
      return undefined;
    }
    const index = new this.Index();
    this.indices.set(name, index);
    this.read(index, this.source === "own" ? null : file?.entries ?? []);
    return index;
  }

  /** @param {OpeningIndex} index @param {import("./split.js").Entry[]|null} entries null for one's own games */
  async read(index, entries) {
    try {
      const games = entries ?? await readAllGames((await this.connection.request("games")).pgn);
      await index.read(games, () => { if (this.source !== "book") this.show(); });
    } catch (error) {
      this.indices.delete("own");
      toast(/** @type {Error} */ (error).message, "error");
    }
  }

  showGames() {
    const index = this.index();
    if (!index) {
      this.fill([], index === undefined ? "" : "Load a PGN file with several games to see what was played in them.");
      return;
    }
    const rows = index.at(this.study.record.rulesAt(this.study.node)).map(({ uci, san, white, draws, black, variations }) => {
      const count = white + draws + black;
      const aside = variations ? `${count ? "also " : ""}in ${variations === 1 ? "a variation" : `${variations} variations`}` : "";
      if (!count) return this.row(uci, san, aside, h("span"), "");
      const parts = [["win", white], ["draw", draws], ["loss", black]].map(([type, number]) => {
        const part = h(`span.${type}`, {}, Number(number) / count >= 0.2 ? percent(Number(number) / count) : "");
        part.style.width = `${(Number(number) / count) * 100}%`;
        return part;
      });
      const words = `White won ${white}, drawn ${draws}, Black won ${black}`;
      return this.row(uci, san, aside, h("div.wdl", { role: "img", "aria-label": words, title: words }, ...parts), String(count));
    });
    this.fill(rows, index.done < index.total ? "" : "No game reached this position.");
    if (index.done < index.total || !index.total) byId("book").append(h("p.faint", {}, `Reading the games: ${index.done} of ${index.total} …`));
  }
}
