/** The engine beside the analysis board: its lines, arrows and facts about the current position. */

import { byId } from "./dom.js";
import { Facts } from "./facts.js";
import { Lines, showGauge } from "./lines.js";
import { saveSetting, loadSetting } from "./store.js";

export class LiveEngine {
  /**
   * @param {import("./connection.js").Connection} connection
   * @param {import("./study.js").Study} study
   * @param {{board: import("./board.js").Board, follow: (uci: string[]) => void, isFree: () => boolean}} options isFree says whether the engine may run
   */
  constructor(connection, study, { board, follow, isFree }) {
    this.connection = connection;
    this.study = study;
    this.board = board;
    this.isFree = isFree;
    this.requestNumber = 0;
    this.held = false; // what the engine says is about a position left behind
    this.lines = new Lines({ follow });
    this.facts = new Facts(board);
    byId("engine-on").checked = loadSetting("engine", true);
    byId("engine-lines").value = loadSetting("multipv", window.matchMedia("(max-width: 560px)").matches ? 1 : 3);
    byId("engine-on").addEventListener("change", () => { saveSetting("engine", byId("engine-on").checked); this.think(); });
    byId("engine-lines").addEventListener("change", () => { saveSetting("multipv", Number(byId("engine-lines").value)); this.think(); });
    connection.on("disconnected", () => { this.requestNumber = 0; });
    connection.on("lines", (message) => { if (message.request === this.requestNumber && !this.held) this.takeLines(message); });
    connection.on("facts", (message) => { if (message.request === this.requestNumber && !this.held) this.facts.show(message); });
    this.lines.clear("");
  }

  over() {
    return this.study.record.positionAt(this.study.node).over;
  }

  /** Shows nothing until the engine is asked again: one steps through the game quickly. */
  hold() {
    this.held = true;
    if (byId("engine-on").checked) this.wait();
    else this.lines.clear("The engine is off.");
    this.showArrows();
  }

  /** Makes room for the lines that will come. */
  wait() {
    this.lines.clear("Thinking …", Number(byId("engine-lines").value));
  }

  /** Analyses the position, or stops if the engine is switched off or needed elsewhere. */
  think() {
    const { record, node } = this.study;
    this.held = false;
    if (!this.isFree() || !byId("engine-on").checked) {
      this.stop(byId("engine-on").checked ? "" : "The engine is off.");
      return;
    }
    this.wait();
    this.showArrows();
    this.requestNumber = this.connection.send("analyse", { ...record.positionFields(node), multipv: Number(byId("engine-lines").value) });
  }

  /** @param {string} words why nothing is shown */
  stop(words) {
    if (this.requestNumber) this.connection.send("stop", { job: "analyse" });
    this.requestNumber = 0;
    this.lines.clear(words);
    this.showArrows();
    this.facts.clear();
  }

  /** @param {any} message */
  takeLines(message) {
    if (message.lines.length) this.lines.show(message, this.study.node.fen);
    else if (message.done) this.lines.clear(this.ending());
    this.showArrows();
  }

  /** Why there is nothing to analyse. */
  ending() {
    const over = this.over();
    if (!over) return "There is nothing to analyse here.";
    if (over.result === "1/2-1/2") showGauge({ cp: 0 });
    else showGauge({ mate: 0, winner: over.result === "1-0" ? "white" : "black" });
    return `The game is over, ${over.result.replace("1/2-1/2", "½–½").replace("-", "–")}: ${over.reason}.`;
  }

  showArrows() {
    const shown = loadSetting("arrows", true) ? this.lines.lines : [];
    this.board.arrows.show(shown.filter(({ uci }) => uci.length).map(({ uci }, index) => ({
      from: uci[0].slice(0, 2), to: uci[0].slice(2, 4), type: index ? "other" : "best", strength: index ? 0.5 : 1,
    })));
  }
}
