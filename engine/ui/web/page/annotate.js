/** Has the server annotate a game, shows its progress, and the accuracy of each player. */

import { turnOf } from "./chess.js";
import { byId, h, toast } from "./dom.js";

/** "about 40 s", "about 3 min". @param {number} milliseconds */
function duration(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds < 90 ? `about ${seconds} s` : `about ${Math.round(seconds / 60)} min`;
}

export class Annotator {
  /**
   * @param {import("./talk.js").Talk} talk
   * @param {{text: () => string, begin: () => void, done: (message: any) => void, end: () => void}} options
   */
  constructor(talk, options) {
    this.talk = talk;
    this.options = options;
    this.asked = 0;
    const dialog = byId("annotate-dialog");
    dialog.addEventListener("close", () => { if (dialog.returnValue === "annotate") this.start(); });
    byId("progress-stop").addEventListener("click", () => this.stop());
    talk.on("progress", (message) => this.advance(message));
    talk.on("annotated", (message) => this.finish(message));
    talk.on("error", ({ ask }) => { if (this.asked && ask === this.asked) this.close(); });
    talk.on("lost", () => this.close());
  }

  ask() {
    const dialog = byId("annotate-dialog");
    dialog.returnValue = "";
    dialog.showModal();
  }

  start() {
    const movetime = Number(byId("annotate-dialog").querySelector("[name=movetime]:checked").value);
    this.options.begin();
    this.asked = this.talk.send("annotate", { pgn: this.options.text(), movetime });
    if (!this.asked) toast("There is no connection to the server.", "bad");
    else this.advance({ ask: this.asked, done: 0, total: 0, left: null });
  }

  /** @param {any} message */
  advance({ ask, done, total, left }) {
    if (!this.asked || ask !== this.asked) return;
    byId("progress").hidden = false;
    byId("progress-bar").max = Math.max(1, total);
    byId("progress-bar").value = done;
    const rest = left === null || left === undefined ? "" : `, ${duration(left)} left`;
    byId("progress-words").textContent = total ? `Annotating: ${done} of ${total} moves${rest}` : "Annotating …";
  }

  /** @param {any} message */
  finish(message) {
    if (!this.asked || message.ask !== this.asked) return;
    this.close();
    this.options.done(message);
  }

  stop() {
    this.talk.send("stop", { job: "annotate" });
    this.close();
  }

  close() {
    if (!this.asked) return;
    this.asked = 0;
    byId("progress").hidden = true;
    this.options.end();
  }
}

const WORDS = { "??": ["blunder", "blunders"], "?": ["mistake", "mistakes"], "?!": ["inaccuracy", "inaccuracies"] };

/** Shows the accuracy of each player, which annotation has written into the tags, and counts the mistakes. @param {import("./record.js").Record} record */
export function showPlayers(record) {
  const main = record.main();
  const side = (/** @type {"White"|"Black"} */ name) => {
    const own = main.filter(({ parent }) => (turnOf(parent?.fen ?? "") === "white") === (name === "White"));
    const counts = Object.entries(WORDS).map(([mark, [one, many]]) => {
      const number = own.filter((node) => node.mark === mark).length;
      return `${number} ${number === 1 ? one : many}`;
    });
    const accuracy = record.headers[`${name}Accuracy`];
    const title = accuracy ? `${Math.round(Number(accuracy))} % accuracy` : "";
    return h("div", {}, h("strong", {}, record.headers[name] || name), h("div", {}, title), h("div.faint", {}, counts.join(" · ")));
  };
  byId("players").replaceChildren(side("White"), side("Black"));
}
