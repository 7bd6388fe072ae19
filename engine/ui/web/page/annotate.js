/** Has the server annotate a game, shows its progress, and the accuracy of each player. */

import { turnOf } from "./chess.js";
import { byId, h, toast } from "./dom.js";
import { severity } from "./moves.js";
import { readGame } from "./pgn.js";
import { splitGames } from "./split.js";

/** "about 40 s", "about 3 min". @param {number} milliseconds */
function duration(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds < 90 ? `about ${seconds} s` : `about ${Math.round(seconds / 60)} min`;
}

/** @typedef {{gameId: import("./study.js").GameId|null, text: string}} Job a game, and where it comes from */

export class Annotator {
  /**
   * @param {import("./connection.js").Connection} connection
   * @param {{games: (all: boolean) => Job[], begin: () => void, done: (job: Job, message: any) => void, end: () => void}} options
   */
  constructor(connection, options) {
    this.connection = connection;
    this.options = options;
    this.requestNumber = 0;
    /** @type {Job[]} */
    this.jobs = [];
    this.at = 0;
    this.failed = 0;
    const dialog = byId("annotate-dialog");
    dialog.addEventListener("close", () => { if (dialog.returnValue === "annotate") this.start(); });
    byId("progress-stop").addEventListener("click", () => this.stop());
    connection.on("progress", (message) => this.advance(message));
    connection.on("annotated", (message) => this.finish(message));
    connection.on("error", ({ request }) => { if (this.requestNumber && request === this.requestNumber) this.fail(); });
    connection.on("disconnected", () => this.close());
  }

  /** @param {number} count of the games that are listed */
  open(count) {
    const dialog = byId("annotate-dialog");
    byId("annotate-which").hidden = count < 2;
    byId("annotate-all").textContent = `All ${count} listed games`;
    if (count < 2) dialog.querySelector("[name=which][value=this]").checked = true;
    dialog.returnValue = "";
    dialog.showModal();
  }

  /** Annotates the game on the board without asking. */
  review() {
    byId("annotate-dialog").querySelector("[name=which][value=this]").checked = true;
    this.start();
  }

  start() {
    const chosen = (/** @type {string} */ name) => byId("annotate-dialog").querySelector(`[name=${name}]:checked`).value;
    this.nodes = Number(chosen("nodes"));
    this.jobs = this.options.games(chosen("which") === "all");
    [this.at, this.failed, this.began] = [0, 0, performance.now()];
    this.options.begin();
    this.next();
  }

  /** Has the next game annotated, or ends. */
  next() {
    const job = this.jobs[this.at];
    if (!job) {
      this.close();
      if (this.jobs.length > 1) toast(`${this.at - this.failed} games are annotated${this.failed ? `, ${this.failed} could not be read` : ""}`);
      return;
    }
    this.requestNumber = this.connection.send("annotate", { pgn: job.text, nodes: this.nodes });
    if (!this.requestNumber) toast("There is no connection to the server.", "error");
    else this.advance({ request: this.requestNumber, done: 0, total: 0 });
  }

  /** @param {any} message */
  advance({ request, done, total }) {
    if (!this.requestNumber || request !== this.requestNumber) return;
    const count = this.jobs.length;
    const share = (this.at + (total ? done / total : 0)) / count;
    byId("progress").hidden = false;
    byId("progress-bar").value = share;
    const left = share > 0.02 ? `, ${duration((performance.now() - this.began) * (1 / share - 1))} left` : "";
    const game = count > 1 ? ` game ${this.at + 1} of ${count}` : "";
    byId("progress-words").textContent = `Annotating${game}${total ? `: ${done} of ${total} moves` : " …"}${left}`;
  }

  /** @param {any} message */
  finish(message) {
    if (!this.requestNumber || message.request !== this.requestNumber) return;
    this.options.done(this.jobs[this.at], message);
    this.at += 1;
    this.next();
  }

  /** Leaves out a game that cannot be annotated; the page shows the server's message. */
  fail() {
    this.failed += 1;
    this.at += 1;
    if (this.jobs.length > 1) this.next();
    else this.close();
  }

  stop() {
    this.connection.send("stop", { job: "annotate" });
    this.close();
  }

  close() {
    if (!this.requestNumber) return;
    this.requestNumber = 0;
    byId("progress").hidden = true;
    this.options.end();
  }
}

/** @param {string|undefined} name */
const known = (name) => (name === "?" ? "" : name);
const WORDS = { "??": ["blunder", "blunders"], "?": ["mistake", "mistakes"], "?!": ["inaccuracy", "inaccuracies"] };

/**
 * Shows the accuracy of each player, which annotation has written into the tags, and counts the mistakes.
 * @param {import("./record.js").GameRecord} record
 * @param {(own: import("./record.js").Node[]) => void} go where a click on a count leads: to the next of its mistakes
 */
export function showPlayers(record, go) {
  const main = record.main();
  const side = (/** @type {"White"|"Black"} */ name) => {
    const own = main.filter(({ parent }) => (turnOf(parent?.fen ?? "") === "white") === (name === "White"));
    const counts = Object.entries(WORDS).map(([mark, [one, many]]) => {
      const marked = own.filter((node) => node.mark === mark);
      const number = marked.length;
      const words = `${number} ${number === 1 ? one : many}`;
      return h("button.count", { type: "button", title: words, disabled: !number, "data-mark": mark, onclick: () => go(marked) }, String(number), h(`span.mark.${severity(mark)}`, { "aria-hidden": "true" }, mark), h("span.unseen", {}, number === 1 ? one : many));
    });
    const accuracy = record.headers[`${name}Accuracy`];
    const title = accuracy ? h("span", {}, `${Math.round(Number(accuracy))} %`, h("span.unseen", {}, " accuracy")) : null;
    return h("div", {}, h("strong", {}, known(record.headers[name]) || name), h("div.counts", {}, title, ...counts));
  };
  byId("players").replaceChildren(side("White"), side("Black"));
}

const SEPARATOR = " | "; // of the sentences in the tag, which is one line

/** The summary of a game, which annotation has written into its tags: a reload keeps it. @param {import("./record.js").GameRecord} record */
export const summaryOf = ({ headers }) => headers.Summary?.split(SEPARATOR) ?? [];

/** The annotated game, with the accuracy of the players and the summary in its tags. @param {any} message */
export function annotatedRecord(message) {
  const { record } = readGame(splitGames(message.pgn)[0]);
  const { summary, players: { white, black } } = message.games[0];
  if (summary.length) record.headers.Summary = summary.join(SEPARATOR);
  for (const [name, { accuracy }] of /** @type {[string, {accuracy: number|null}][]} */ ([["White", white], ["Black", black]]))
    if (accuracy !== null) record.headers[`${name}Accuracy`] = String(accuracy);
  return record;
}
