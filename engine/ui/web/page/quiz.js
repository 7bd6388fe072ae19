/** Questions about the searches: asked one after the other, checked by the server, with a score. */

import { announce, byId, h, toast } from "./dom.js";

/** @typedef {import("./talk.js").Talk} Talk */

const MOST_SEEDS = 2 ** 31;

export class Quiz {
  /** @param {Talk} talk */
  constructor(talk) {
    this.talk = talk;
    this.seed = 0;
    this.right = 0;
    this.asked = 0;
    byId("quiz-next").addEventListener("click", () => this.next());
    byId("quiz-topic").addEventListener("change", () => this.next());
    byId("quiz-form").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.check(byId("quiz-answer").value.trim());
    });
  }

  fields() {
    return { topic: byId("quiz-topic").value, seed: this.seed };
  }

  /** Asks the next question. */
  async next() {
    this.seed = Math.floor(Math.random() * MOST_SEEDS);
    const question = await this.request(this.fields());
    if (!question) return;
    byId("quiz-text").textContent = question.text;
    byId("quiz-verdict").textContent = "";
    byId("quiz-next").textContent = "Next question";
    const buttons = question.choices.map((/** @type {string} */ choice) =>
      h("button", { type: "button", onclick: () => this.check(choice) }, choice));
    byId("quiz-choices").replaceChildren(...buttons);
    byId("quiz-form").hidden = buttons.length > 0;
    byId("quiz-answer").value = "";
  }

  /** @param {string} answer */
  async check(answer) {
    if (!answer) return;
    const verdict = await this.request({ ...this.fields(), answer });
    if (!verdict) return;
    if (verdict.right === null) {
      this.say("A number, such as 3, −2.5 or 1/3.");
      return;
    }
    this.asked += 1;
    this.right += Number(verdict.right);
    byId("quiz-choices").replaceChildren();
    byId("quiz-form").hidden = true;
    this.say(`${verdict.right ? "Right." : "Not quite."} The answer is ${verdict.shown}. ${verdict.reason}`);
    byId("quiz-score").textContent = `${this.right} of ${this.asked} right`;
    byId("quiz-next").focus();
  }

  /** @param {string} text */
  say(text) {
    byId("quiz-verdict").textContent = text;
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
