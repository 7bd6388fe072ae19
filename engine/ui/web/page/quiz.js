/** Questions about the searches: asked one after the other, checked by the server, with a score. */

import { announce, h, toast } from "./dom.js";

/** @typedef {import("./talk.js").Talk} Talk */

const MOST_SEEDS = 2 ** 31;
const TOPICS = { alphabeta: "alpha-beta", uct: "UCT", expectimax: "expectimax" };

export class Quiz {
  /** @param {Talk} talk */
  constructor(talk) {
    this.talk = talk;
    this.seed = 0;
    this.right = 0;
    this.asked = 0;
    this.topic = h("select", { id: "quiz-topic", onchange: () => this.next() },
      ...Object.entries(TOPICS).map(([value, name]) => h("option", { value }, name)));
    this.more = h("button", { type: "button", id: "quiz-next", onclick: () => this.next() }, "Ask me");
    this.text = h("p.question");
    this.choices = h("div.actions", { id: "quiz-choices" });
    this.field = h("input", { type: "text", size: 8, autocomplete: "off", "aria-label": "Answer" });
    this.form = h("form.actions", { hidden: true, onsubmit: (/** @type {Event} */ event) => this.submit(event) }, this.field, h("button", { type: "submit" }, "Check"));
    this.verdict = h("p", { id: "quiz-verdict" });
    this.score = h("p.faint", { id: "quiz-score" });
    this.card = h("div.card.quiz", {}, h("div.tree-head", {}, h("h2", {}, "Check yourself"), h("label.count", {}, "About ", this.topic), this.more),
      this.text, this.choices, this.form, this.verdict, this.score);
  }

  fields() {
    return { topic: this.topic.value, seed: this.seed };
  }

  /** Asks the next question. */
  async next() {
    this.seed = Math.floor(Math.random() * MOST_SEEDS);
    const question = await this.request(this.fields());
    if (!question) return;
    this.text.textContent = question.text;
    this.verdict.textContent = "";
    this.more.textContent = "Next question";
    this.choices.replaceChildren(...question.choices.map((/** @type {string} */ choice) =>
      h("button", { type: "button", onclick: () => this.check(choice) }, choice)));
    this.form.hidden = question.choices.length > 0;
    this.field.value = "";
  }

  /** @param {Event} event */
  submit(event) {
    event.preventDefault();
    this.check(this.field.value.trim());
  }

  /** @param {string} answer */
  async check(answer) {
    const verdict = answer ? await this.request({ ...this.fields(), answer }) : null;
    if (!verdict) return;
    if (verdict.right === null) {
      this.say("A number, such as 3, −2.5 or 1/3.");
      return;
    }
    this.asked += 1;
    this.right += Number(verdict.right);
    this.choices.replaceChildren();
    this.form.hidden = true;
    this.say(`${verdict.right ? "Right." : "Not quite."} The answer is ${verdict.shown}. ${verdict.reason}`);
    this.score.textContent = `${this.right} of ${this.asked} right`;
    this.more.focus();
  }

  /** @param {string} text */
  say(text) {
    this.verdict.textContent = text;
    announce(text);
  }

  /** @param {Record<string, any>} fields @returns {Promise<any>} */
  async request(fields) {
    try {
      return await this.talk.request("question", fields);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
      return null;
    }
  }
}
