/** The coach: explains a move of the game, or of the engine, in place, and sums up an annotated game. */

import { byId, h, toast } from "./dom.js";

/** @typedef {import("./record.js").Node} Node */

/** The first of some moves of the game after a node of it, or the last before it. @param {Node[]} nodes in the order of the game @param {Node} from @param {number} by 1 or -1 */
export function nextOf(nodes, from, by) {
  const ply = (/** @type {Node|null|undefined} */ node) => {
    let count = 0;
    for (let at = node?.parent; at; at = at.parent) count += 1;
    return count;
  };
  const here = ply(from);
  return by > 0 ? nodes.find((node) => ply(node) > here) : nodes.filter((node) => ply(node) < here).at(-1);
}

/** @param {string[]} sentences none hide what was there */
export function showSummary(sentences) {
  byId("summary").hidden = !sentences.length;
  byId("summary").replaceChildren(...sentences.map((sentence) => h("li", {}, sentence)));
}

export class Coach {
  /**
   * @param {import("./connection.js").Connection} connection
   * @param {import("./study.js").Study} study
   * @param {{board: import("./board.js").Board, isFree: () => boolean}} options isFree says whether moves may be explained
   */
  constructor(connection, study, { board, isFree }) {
    this.connection = connection;
    this.study = study;
    this.isFree = isFree;
    this.box = byId("coach");
    this.requestNumber = 0;
    /** The node that the words are about, or that they begin from. @type {Node|null} */
    this.shownAt = null;
    connection.on("explained", (message) => { if (message.request === this.requestNumber) this.show(message); });
    connection.on("error", ({ request }) => { if (this.requestNumber && request === this.requestNumber) this.hide(); });
    connection.on("disconnected", () => this.forget());
    this.listen(board);
  }

  /** An arrow of the engine is explained by a click where no piece can be taken up or put down. @param {import("./board.js").Board} board */
  listen(board) {
    let wasSelected = false;
    board.element.addEventListener("pointerdown", () => { wasSelected = board.selected !== null; }, { capture: true });
    board.element.addEventListener("click", (/** @type {MouseEvent} */ event) => {
      const { uci } = /** @type {SVGElement} */ (event.target).dataset ?? {};
      if (uci && !wasSelected && board.selected === null) this.explainBest(uci);
    });
  }

  /** Explains the current move. */
  explainMove() {
    const { node } = this.study;
    if (node.parent && node.uci) this.ask(node.parent, node.uci, node);
  }

  /** Explains a move that the engine proposes here. @param {string|undefined} uci */
  explainBest(uci) {
    const { legal, promotions } = this.study.record.positionAt(this.study.node);
    if (!uci) toast("The engine has no move to explain: switch it on.");
    else if (legal) this.ask(this.study.node, uci.length === 4 && promotions?.includes(uci) ? `${uci}q` : uci, this.study.node);
  }

  /** @param {Node} before @param {string} uci @param {Node} at the node at which the words stay */
  ask(before, uci, at) {
    if (!this.isFree()) return;
    this.requestNumber = this.connection.send("explain", { ...this.study.record.positionFields(before), uci });
    this.shownAt = this.requestNumber ? at : null;
    if (this.requestNumber) this.fill(h("p.faint", {}, "The coach is looking at the move …"));
  }

  /** @param {any} message */
  show({ lines }) {
    this.requestNumber = 0;
    this.fill(...lines.map((/** @type {string} */ line) => h("p", {}, line)));
  }

  /** @param {...HTMLElement} parts */
  fill(...parts) {
    this.box.hidden = false;
    this.box.replaceChildren(...parts, h("button.quiet", { type: "button", onclick: () => this.hide() }, "Close"));
  }

  /** Hides the words when one goes to another move. */
  follow() {
    if (this.shownAt && this.shownAt !== this.study.node) this.hide();
  }

  /** Without a connection no answer comes: nothing promises one. */
  forget() {
    const isWaiting = this.requestNumber !== 0;
    this.requestNumber = 0;
    if (isWaiting) this.hide();
  }

  hide() {
    if (this.requestNumber) this.connection.send("stop", { job: "explain" });
    this.requestNumber = 0;
    this.shownAt = null;
    this.box.hidden = true;
  }
}
