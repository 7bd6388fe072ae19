/** The evaluation graph of a game: White's expected score after each move, with the mistakes as dots. */

import { shareOf, scoreText } from "./chess.js";
import { s } from "./dom.js";
import { severity } from "./moves.js";

/** @typedef {import("./record.js").Node} Node */
/** @typedef {import("./chess.js").Score} Score */
/** @typedef {{node: Node, index: number, score: Score}} Point */

const WIDTH = 400;
const HEIGHT = window.matchMedia("(max-width: 560px)").matches ? 48 : 90;
const BAD = ["inaccuracy", "mistake", "blunder"];

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
    return Number((((index + 0.5) / Math.max(1, this.nodes.length)) * WIDTH).toFixed(1));
  }

  /** @param {Score} score */
  y(score) {
    return Number((4 + (1 - shareOf(score)) * (HEIGHT - 8)).toFixed(1));
  }

  /** Draws the main line; moves without a score leave a gap. @param {import("./record.js").GameRecord} record */
  show(record) {
    this.nodes = record.main();
    const points = this.nodes.flatMap((node, index) => {
      const score = scoreAt(record, node);
      return score ? [{ node, index, score }] : [];
    });
    const dots = points.filter(({ node }) => BAD.includes(severity(node.mark))).map(({ node, index, score }) =>
      s("circle", { class: `dot ${severity(node.mark)}`, cx: this.x(index), cy: this.y(score), r: 4 },
        s("title", {}, `${node.san}${node.mark} ${scoreText(score)}`)));
    this.host.replaceChildren(s("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words(points) },
      ...runsOf(points).flatMap((run) => this.curve(run)),
      s("line", { class: "middle", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }), this.here, ...dots));
  }

  /** One unbroken piece of the graph: Black's colour behind it, White's below it. It ends where its last move ends. @param {Point[]} run */
  curve(run) {
    const [first, last] = [run[0], run[run.length - 1]];
    const [left, right] = [this.x(first.index - 0.5), this.x(last.index + 0.5)];
    const line = [`${left},${this.y(first.score)}`, ...run.map(({ index, score }) => `${this.x(index)},${this.y(score)}`), `${right},${this.y(last.score)}`].join(" ");
    return [
      s("rect", { class: "ground", x: left, y: 0, width: right - left, height: HEIGHT }),
      s("polygon", { class: "area", points: `${left},${HEIGHT} ${line} ${right},${HEIGHT}` }),
      s("polyline", { class: "curve", points: line }),
    ];
  }

  /** Marks the current move. @param {Node} node */
  point(node) {
    const at = this.nodes.indexOf(node);
    const x = at < 0 ? -10 : this.x(at);
    this.here.setAttribute("x1", String(x));
    this.here.setAttribute("x2", String(x));
  }
}

/** The score of a move; a mate on the board needs none to be written. @param {import("./record.js").GameRecord} record @param {Node} node @returns {Score|null} */
function scoreAt(record, node) {
  if (!node.children.length && node.san?.endsWith("#")) return { mate: 0, winner: record.rulesAt(node).turn ? "white" : "black" };
  return node.score ?? null;
}

/** Points whose moves follow one another. @param {Point[]} points @returns {Point[][]} */
function runsOf(points) {
  /** @type {Point[][]} */
  const runs = [];
  for (const point of points) {
    const run = runs[runs.length - 1];
    if (run && run[run.length - 1].index === point.index - 1) run.push(point);
    else runs.push([point]);
  }
  return runs;
}

/** @param {Point[]} points */
function words(points) {
  const bad = points.filter(({ node }) => ["mistake", "blunder"].includes(severity(node.mark))).map(({ node }) => `${node.san}${node.mark}`);
  return `Evaluation graph of ${points.length} moves. ${bad.length ? `Mistakes: ${bad.join(", ")}.` : "No mistakes."}`;
}
