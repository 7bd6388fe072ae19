/** The report over the games of a file: results, accuracy, and what to practise first. */

import { byId, h, toast } from "./dom.js";
import { loadSetting, saveSetting } from "./store.js";

/** @typedef {[number, number]|null} Percentage a value and its error */

const MOST_ROWS = 8;

/** @param {Percentage} percentage */
const text = (percentage) => (percentage ? `${Math.round(percentage[0])} ± ${Math.round(percentage[1])}` : "–");

export class Report {
  /**
   * @param {import("./connection.js").Connection} connection
   * @param {string[]} games texts
   * @param {(number: number, ply: number) => void} go shows a move of a game, both from 0
   */
  constructor(connection, games, go) {
    this.connection = connection;
    this.pgn = games.join("\n");
    this.go = go;
    this.dialog = byId("report-dialog");
  }

  /** Shows the report on the player that was chosen before, or asks which one is meant. */
  async open() {
    this.dialog.replaceChildren(h("p", {}, "Reading the games …"));
    this.dialog.showModal();
    await this.choose(loadSetting("player", ""));
  }

  /** @param {string} player */
  async choose(player) {
    try {
      const { players, report } = await this.connection.request("report", { pgn: this.pgn, ...(player ? { player } : {}) });
      if (report) saveSetting("player", player);
      this.show(players, report);
    } catch (error) {
      this.dialog.close();
      toast(/** @type {Error} */ (error).message, "error");
    }
  }

  /** @param {{name: string, games: number}[]} players @param {any} report null if it is not known whose */
  show(players, report) {
    const names = report?.names ?? [];
    const select = h("select", { id: "report-player", onchange: () => select.value && this.choose(select.value) },
      ...(report ? [] : [h("option", { value: "" }, "choose")]),
      ...players.map(({ name, games }) => h("option", { value: name, selected: name === report?.player }, `${name} (${games})`)));
    const close = h("button.quiet", { type: "button", onclick: () => this.dialog.close() }, "Close");
    this.dialog.replaceChildren(h("div.report", {},
      h("h2", {}, report ? `${names.join(" = ")}: ${report.games} games` : "Which one is you?"),
      h("label", {}, "Player ", select), ...(report ? this.body(report) : []), h("div.actions", {}, close)));
  }

  /** @param {any} report */
  body(report) {
    const games = (/** @type {any} */ row) => [row.name, row.games, row.wins, row.draws, row.losses, text(row.score), text(row.accuracy)];
    const headings = ["games", "won", "drawn", "lost", "score, %", "accuracy"];
    return [
      ...(report.judged < report.games ? [h("p.faint", {}, `Moves are judged in ${report.judged} games: annotate the others first.`)] : []),
      h("ol.advice", {}, ...report.advice.map((/** @type {any} */ advice) => h("li", {}, `${advice.sentence}: `, ...advice.proofs.map((/** @type {any} */ proof) => this.proof(proof))))),
      this.table("", headings, [{ ...report, name: "all games" }, ...report.colors].map(games)),
      this.table("opening", headings, report.openings.map(games)),
      this.table("opponent", headings, report.opponents.map(games)),
      this.table("phase", ["games", "accuracy", "points lost per game"], report.phases.map((/** @type {any} */ row) => [row.name, row.games, text(row.accuracy), row.lost.toFixed(2)])),
      this.table("time left", ["moves", "mistakes", "of 100 moves"], report.clocks.map((/** @type {any} */ row) => [row.name, row.moves, row.mistakes, text(row.rate)])),
      this.table("theme", ["missed", "allowed", "in games"], report.themes.map((/** @type {any} */ row) => [row.name, row.missed, row.allowed, row.games])),
      this.table("ending", ["games", "won", "kept", "drawn", "kept", "thrown away"], report.endings.map((/** @type {any} */ row) => Object.values(row))),
      this.table("date", headings, report.trend.map(games)),
      h("p.faint", {}, "±: half the width of the 95 % interval; –: too few games."),
    ];
  }

  /** @param {any} proof */
  proof({ game, ply, move, title }) {
    return h("button.quiet", { type: "button", title, onclick: () => { this.dialog.close(); this.go(game - 1, ply); } }, `${game}: ${move}`);
  }

  /** @param {string} name @param {string[]} headings @param {(string|number)[][]} rows */
  table(name, headings, rows) {
    if (!rows.length) return h("span");
    return h("table.report-table", {}, h("thead", {}, h("tr", {}, ...[name, ...headings].map((heading) => h("th", {}, heading)))),
      h("tbody", {}, ...rows.slice(0, MOST_ROWS).map((cells) => h("tr", {}, ...cells.map((cell) => h("td", {}, String(cell)))))));
  }
}
