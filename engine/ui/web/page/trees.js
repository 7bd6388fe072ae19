/** The view in which one builds a tree, and steps through a search of it forwards and backwards. The steps come from the server. */

import { announce, byId, capitalized, copy, h, icon, toast } from "./dom.js";
import { Quiz } from "./quiz.js";
import { loadTabValue, saveTabValue } from "./store.js";
import { Curiosity } from "./treecuriosity.js";
import { TreeEditor } from "./treeeditor.js";
import { fromNodes, textOf } from "./treemodel.js";
import { TreePicture } from "./treepicture.js";

/** @typedef {import("./main.js").App} App */

const ALGORITHMS = { minimax: "Minimax", alphabeta: "Alpha-beta", expectiminimax: "Expectiminimax", expectimax: "Expectimax", maxn: "Max^n", uct: "UCT" };
const EXAMPLES = [
  ["Three moves each", "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"],
  ["Two plies", "[[2, 7], [1, 8]]"],
  ["Three plies", "[[[5, 6], [7, 4], [3, 2]], [[6, 1], [8, 9]], [[5, 2], [9, 8]]]"],
  ["Chance", '[{"chance": [[0.5, 8], [1/3, 24], [1/6, -12]]}, {"chance": [[0.5, [4, 9]], [0.5, 14]]}]'],
  ["Three players", "[[(1, 2, 6), (4, 2, 3)], [(6, 1, 2), (7, 4, 1)], [(5, 1, 1), (1, 5, 2)]]"],
];
const MOST_UNDO = 100;
const PAUSE = 900; // milliseconds between two steps that are played

/** Questions about the tree that is shown. */
class TreeQuiz extends Quiz {
  /** @param {import("./connection.js").Connection} connection @param {() => Record<string, any>} search */
  constructor(connection, search) {
    super(connection, "tree-quiz", {});
    this.search = search;
    this.number = -1;
  }

  clear() {
    this.number = -1;
    this.reset();
  }

  fields() {
    return { ...this.search(), number: this.number };
  }

  async next() {
    this.number += 1;
    const question = await this.ask();
    if (question && this.number + 1 >= question.count) this.number = -1;
    if (question) this.asked = this.number < 0 ? question.count - 1 : this.number;
  }

  /** @param {Record<string, any>} fields */
  send(fields) {
    return this.connection.request("treequestion", "answer" in fields ? { ...fields, number: this.asked } : fields);
  }
}

export class TreesView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.connection = app.connection;
    /** @type {any} */
    this.answer = { nodes: [], steps: [], listing: [], fits: [] };
    this.count = 0;
    this.selected = 0;
    /** @type {string[]} */
    this.undone = [];
    this.timer = 0;
    this.request = 0;
    this.text = loadTabValue("tree", EXAMPLES[0][1]);
    this.algorithm = loadTabValue("tree-algorithm", "alphabeta");
    this.quiz = new TreeQuiz(this.connection, () => this.fields());
    this.editor = new TreeEditor({ onChange: (text) => this.change(text), onSelect: (number) => this.select(number) });
    this.build();
    this.picture = new TreePicture(this.host, { onSelect: (number) => this.select(number), onEdit: (what) => this.editor.act(what) });
    this.connection.on("welcome", () => { if (this.active) this.load(); });
  }

  build() {
    const button = (/** @type {string} */ id, /** @type {string} */ label, /** @type {() => void} */ act, properties = {}) =>
      h("button", { type: "button", id, onclick: act, ...properties }, label);
    this.example = h("select", { id: "trees-example", onchange: () => { if (this.example.value) { this.algorithm = ""; this.change(this.example.value); } } },
      h("option", { value: "" }, "Choose …"), ...EXAMPLES.map(([name, text]) => h("option", { value: text }, name)));
    this.chooser = h("select", { id: "trees-algorithm", onchange: () => { this.algorithm = this.chooser.value; this.load(); } });
    this.host = h("div.tree.own", { id: "trees-picture" });
    this.slider = h("input", { type: "range", id: "trees-slider", min: 0, value: 0, "aria-label": "Step", oninput: () => this.step(Number(this.slider.value)) });
    this.words = h("p.step-words", { id: "trees-words" });
    this.problem = h("p.problem", { id: "trees-problem", role: "alert" });
    this.listing = h("ol.listing", { id: "trees-listing", tabindex: 0, "aria-label": "Pseudo-code" });
    this.field = h("textarea", { id: "trees-text", rows: 3, spellcheck: "false", "aria-describedby": "trees-problem" });
    this.player = button("trees-play", "Run", () => this.play());
    const number = (/** @type {string} */ id, /** @type {string} */ label, /** @type {Record<string, any>} */ properties) =>
      h("div.field", {}, h("label", { for: id }, label), h("input", { type: "number", id, onchange: () => this.load({}, true), ...properties }));
    this.curiosity = new Curiosity({ onChange: () => this.load({}, true) });
    this.options = h("div.uct-options", { hidden: true }, number("trees-iterations", "Iterations", { min: 1, max: 200, value: 30 }), this.curiosity.part);
    const stepper = (/** @type {string} */ name, /** @type {string} */ arrow) =>
      h("button", { type: "button", id: `trees-${name}`, "aria-label": `${capitalized(name)} step`, title: `${capitalized(name)} step (${arrow})`, onclick: () => /** @type {any} */ (this.steps())[name]() }, icon(name));
    const controls = h("div.bar", { role: "group", "aria-label": "Steps" }, stepper("first", "↑"), stepper("previous", "←"), this.player, stepper("next", "→"), stepper("last", "↓"));
    byId("trees-body").replaceChildren(
      h("div.trees-main", {},
        h("div.card", { id: "trees-card" },
          h("div.tree-head", {}, h("div.field", {}, h("label", { for: "trees-algorithm" }, "Algorithm"), this.chooser), h("div.field", {}, h("label", { for: "trees-example" }, "Example"), this.example)),
          this.host, this.words, this.slider, controls, this.options),
        this.quiz.card),
      h("div.trees-side", {},
        this.editor.card,
        h("div.card", { id: "trees-code" }, h("h2", {}, "Pseudo-code"), this.listing),
        h("form.card", { id: "trees-form",  onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); this.change(this.field.value); } },
          h("div.field", {}, h("label", { for: "trees-text" }, "The tree in brackets"), this.field), this.problem,
          h("div.actions", {}, h("button", { type: "submit" }, "Use it"), button("trees-undo", "Undo", () => this.undo()),
            button("trees-best", "Best moves first", () => this.sort("best")), button("trees-worst", "Worst first", () => this.sort("worst")),
            button("trees-link", "Copy link", () => copy(this.link(), "Link"))))));
  }

  enter() {
    this.active = true;
    this.load();
  }

  leave() {
    this.active = false;
    this.pause();
  }

  steps() {
    return { previous: () => this.step(this.count - 1), next: () => this.step(this.count + 1), first: () => this.step(0), last: () => this.step(Infinity), delete: () => this.editor.act("delete"), undo: () => this.undo() };
  }

  /** A control of the view. @param {string} name @returns {any} */
  part(name) {
    return document.getElementById(`trees-${name}`);
  }

  /** What the server is to search. @returns {Record<string, any>} */
  fields() {
    const { value } = this.part("iterations");
    const options = { iterations: value === "" ? 30 : Number(value), ...this.curiosity.fields() };
    return { tree: this.text, ...(this.algorithm ? { algorithm: this.algorithm } : {}), ...(this.algorithm === "uct" ? options : {}) };
  }

  /** Takes another tree, which can be undone. @param {string} text */
  change(text) {
    if (text !== this.text) this.undone = [...this.undone, this.text].slice(-MOST_UNDO);
    this.text = text;
    this.load();
  }

  undo() {
    const before = this.undone.pop();
    if (before === undefined) return;
    this.text = before;
    this.load();
  }

  /** @param {string} order */
  async sort(order) {
    await this.load({ order });
  }

  /** Has the server read the tree and search it. What it cannot read is kept, so that it can be mended. @param {Record<string, any>} [more] @param {boolean} [isAtEnd] whether its last step is shown */
  async load(more = {}, isAtEnd = false) {
    this.pause();
    if (!this.connection.ready) return;
    this.request += 1;
    const { request } = this;
    this.part("undo").disabled = !this.undone.length;
    let answer;
    try {
      answer = await this.connection.request("steps", { ...this.fields(), ...more });
    } catch (error) {
      if (request !== this.request) return;
      this.field.value = this.text;
      this.showProblem(/** @type {Error} */ (error).message);
      return;
    }
    if (request !== this.request) return;
    if (more.order && answer.tree !== this.text) this.undone.push(this.text);
    this.take(answer, isAtEnd);
  }

  /** @param {any} answer @param {boolean} isAtEnd */
  take(answer, isAtEnd) {
    this.answer = answer;
    this.text = answer.tree;
    this.field.value = answer.tree;
    this.example.value = EXAMPLES.some(([, text]) => text === answer.tree) ? answer.tree : "";
    this.part("undo").disabled = !this.undone.length;
    if (answer.misfit) toast(answer.misfit);
    this.algorithm = answer.algorithm;
    this.chooser.replaceChildren(...Object.entries(ALGORITHMS).map(([name, title]) => h("option", { value: name, selected: name === this.algorithm, disabled: !answer.fits.includes(name) }, title)));
    this.chooser.value = this.algorithm;
    this.options.hidden = this.algorithm !== "uct";
    this.listing.replaceChildren(...answer.listing.map((/** @type {string} */ line) => h("li", {}, h("code", {}, line))));
    saveTabValue("tree", this.text);
    saveTabValue("tree-algorithm", this.algorithm);
    this.showProblem("");
    this.quiz.clear();
    this.selected = Math.min(this.editor.wanted ?? this.selected, answer.nodes.length - 1);
    this.editor.show(fromNodes(answer.nodes), this.selected);
    this.slider.max = answer.steps.length;
    this.step(isAtEnd ? Infinity : 0, false);
    const found = this.options.hidden ? "" : this.curiosity.show(answer);
    if (isAtEnd && found) announce(found);
  }

  /** A change that the server refuses stays on the editor; the tree before it is drawn. @param {string} text */
  showProblem(text) {
    this.problem.textContent = text;
    this.problem.hidden = !text;
    if (text) announce(text);
  }

  /** @param {number} count @param {boolean} [isAnnounced] */
  step(count, isAnnounced = true) {
    const { steps, nodes, listing } = this.answer;
    if (!nodes.length) return;
    this.count = Math.max(0, Math.min(count, steps.length));
    if (this.count === steps.length) this.pause();
    const step = steps[this.count - 1];
    this.slider.value = String(this.count);
    this.slider.setAttribute("aria-valuetext", `Step ${this.count} of ${steps.length}`);
    this.words.textContent = step ? `${this.count} of ${steps.length}: ${step.words}.` : `${steps.length} steps. The arrow keys and the buttons go forwards and backwards.`;
    if (step && isAnnounced) announce(`${step.words}. ${listing[step.line] ?? ""}`);
    [...this.listing.children].forEach((line, index) => {
      if (index === step?.line) {
        line.setAttribute("aria-current", "step");
        this.listing.scrollTop = line.offsetTop - this.listing.clientHeight / 2;
      } else line.removeAttribute("aria-current");
    });
    this.part("first").disabled = this.part("previous").disabled = this.count === 0;
    this.part("next").disabled = this.part("last").disabled = this.count === steps.length;
    this.picture.show({ nodes, steps, count: this.count, selected: this.selected });
  }

  play() {
    if (this.timer) {
      this.pause();
      return;
    }
    if (this.count === this.answer.steps.length) this.step(0);
    this.player.textContent = "Pause";
    this.timer = window.setInterval(() => this.step(this.count + 1), PAUSE);
  }

  pause() {
    window.clearInterval(this.timer);
    this.timer = 0;
    this.player.textContent = "Run";
  }

  /** @param {number} number */
  select(number) {
    this.selected = number;
    this.editor.select(number);
    this.picture.show({ nodes: this.answer.nodes, steps: this.answer.steps, count: this.count, selected: number });
  }

  link() {
    const options = this.algorithm === "uct" ? { iterations: this.part("iterations").value, c: this.curiosity.position } : {};
    const fields = new URLSearchParams({ tree: this.text, algorithm: this.algorithm, ...options });
    return `${location.origin}${location.pathname}#${fields}`;
  }

  /** Opens what a link carries. @param {string} fragment */
  openLink(fragment) {
    const fields = new URLSearchParams(fragment);
    const algorithm = fields.get("algorithm") ?? "";
    if (Object.hasOwn(ALGORITHMS, algorithm)) this.algorithm = algorithm;
    if (/^\d+$/.test(fields.get("iterations") ?? "")) this.part("iterations").value = fields.get("iterations");
    this.curiosity.position = fields.get("c");
    this.change(fields.get("tree") ?? this.text);
  }
}
