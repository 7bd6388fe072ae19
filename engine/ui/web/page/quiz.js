/** Questions about the searches: asked one after the other, checked by the server, with a score. */

import { announce, h, toast } from "./dom.js";

/** @typedef {import("./connection.js").Connection} Talk */

const MOST_SEEDS = 2 ** 31;
const TOPICS = { alphabeta: "alpha-beta", uct: "UCT", expectimax: "expectimax" };

export class Quiz {
  /** @param {Connection} connection @param {string} [id] which its elements begin with @param {Record<string, string>} [topics] to choose from */
  constructor(connection, id = "quiz", topics = TOPICS) {
    this.connection = connection;
    this.seed = 0;
    this.right = 0;
    this.answered = 0;
    this.topic = h("select", { id: `${id}-topic`, onchange: () => this.next() },
      ...Object.entries(topics).map(([value, name]) => h("option", { value }, name)));
    this.more = h("button", { type: "button", id: `${id}-next`, onclick: () => this.next() }, "Ask me");
    this.text = h("p.question");
    this.choices = h("div.actions", { id: `${id}-choices` });
    this.field = h("input", { type: "text", size: 8, autocomplete: "off", "aria-label": "Answer" });
    this.form = h("form.actions", { hidden: true, onsubmit: (/** @type {Event} */ event) => this.submit(event) }, this.field, h("button", { type: "submit" }, "Check"));
    this.verdict = h("p", { id: `${id}-verdict` });
    this.score = h("p.faint", { id: `${id}-score` });
    this.card = h("div.card.quiz", {}, h("div.tree-head", {}, h("h2", {}, "Check yourself"), h("label.count", { hidden: !Object.keys(topics).length }, "About ", this.topic), this.more),
      this.text, this.choices, this.form, this.verdict, this.score);
  }

  fields() {
    return { topic: this.topic.value, seed: this.seed };
  }

  /** Asks the next question. */
  async next() {
    this.seed = Math.floor(Math.random() * MOST_SEEDS);
    await this.ask();
  }

  /** Shows a question; resolves to it, or to null. @returns {Promise<any>} */
  async ask() {
    const question = await this.request(this.fields());
    if (!question) return null;
    this.text.textContent = question.text;
    this.verdict.textContent = "";
    this.more.textContent = "Next question";
    this.choices.replaceChildren(...question.choices.map((/** @type {string} */ choice) =>
      h("button", { type: "button", onclick: () => this.check(choice) }, choice)));
    this.form.hidden = question.choices.length > 0;
    this.field.value = "";
    return question;
  }

  /** Takes back the question and the score. */
  reset() {
    for (const element of [this.text, this.verdict, this.score]) element.textContent = "";
    this.choices.replaceChildren();
    this.form.hidden = true;
    this.more.textContent = "Ask me";
    [this.right, this.answered] = [0, 0];
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
      this.showText("A number, such as 3, −2.5 or 1/3.");
      return;
    }
    this.answered += 1;
    this.right += Number(verdict.right);
    this.choices.replaceChildren();
    this.form.hidden = true;
    this.showText(`${verdict.right ? "Right." : "Not quite."} The answer is ${verdict.shown}. ${verdict.reason}`);
    this.score.textContent = `${this.right} of ${this.answered} right`;
    this.more.focus();
  }

  /** @param {string} text */
  showText(text) {
    this.verdict.textContent = text;
    announce(text);
  }

  /** @param {Record<string, any>} fields @returns {Promise<any>} */
  async request(fields) {
    try {
      return await this.send(fields);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "error");
      return null;
    }
  }

  /** @param {Record<string, any>} fields @returns {Promise<any>} */
  send(fields) {
    return this.connection.request("question", fields);
  }
}
