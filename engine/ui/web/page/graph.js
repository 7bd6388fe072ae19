/** The evaluation graph of a game: White's expected score after each move, with the mistakes as dots. */

import { shareOf, scoreText } from "./chess.js";
import { s } from "./dom.js";
import { gravity } from "./moves.js";

/** @typedef {import("./record.js").Node} Node */

const WIDTH = 400;
const HEIGHT = 110;

export class Graph {
  /** @param {HTMLElement} host @param {{go: (node: Node) => void}} options */
  constructor(host, { go }) {
    this.host = host;
    /** @type {Node[]} */
    this.nodes = [];
    this.here = s("line", { class: "here", y1: 0, y2: HEIGHT });
    this.host.addEventListener("click", (event) => {
      const box = this.host.getBoundingClientRect();
      const index = Math.round(((event.clientX - box.left) / box.width) * this.nodes.length - 0.5);
      const node = this.nodes[Math.min(this.nodes.length - 1, Math.max(0, index))];
      if (node) go(node);
    });
  }

  /** @param {number} index */
  x(index) {
    return ((index + 0.5) / Math.max(1, this.nodes.length)) * WIDTH;
  }

  /** @param {Node} node */
  y(node) {
    return 4 + (1 - shareOf(/** @type {any} */ (node.score))) * (HEIGHT - 8);
  }

  /** Draws the moves that have a score. @param {Node[]} nodes */
  show(nodes) {
    this.nodes = nodes;
    const known = nodes.map((node, index) => ({ node, index })).filter(({ node }) => node.score);
    const points = known.map(({ node, index }) => `${this.x(index).toFixed(1)},${this.y(node).toFixed(1)}`);
    const last = known.length ? this.x(known[known.length - 1].index).toFixed(1) : 0;
    const dots = known.filter(({ node }) => ["slight", "bad", "awful"].includes(gravity(node.mark))).map(({ node, index }) =>
      s("circle", { class: `dot ${gravity(node.mark)}`, cx: this.x(index), cy: this.y(node), r: 4 },
        s("title", {}, `${node.san}${node.mark} ${scoreText(node.score)}`)));
    this.host.replaceChildren(s("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": this.words(known) },
      s("polygon", { class: "area", points: `0,${HEIGHT} 0,${HEIGHT / 2} ${points.join(" ")} ${last},${HEIGHT}` }),
      s("line", { class: "middle", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      s("polyline", { class: "curve", points: points.join(" ") }), this.here, ...dots));
  }

  /** @param {{node: Node}[]} known */
  words(known) {
    const bad = known.filter(({ node }) => ["bad", "awful"].includes(gravity(node.mark))).map(({ node }) => `${node.san}${node.mark}`);
    return `Evaluation graph of ${known.length} moves. ${bad.length ? `Mistakes: ${bad.join(", ")}.` : "No mistakes."}`;
  }

  /** Marks the current move. @param {Node} node */
  point(node) {
    const at = this.nodes.indexOf(node);
    const x = at < 0 ? -10 : this.x(at);
    this.here.setAttribute("x1", String(x));
    this.here.setAttribute("x2", String(x));
  }
}
