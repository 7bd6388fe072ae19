/** Practice: asks for a better move at each mistake of an annotated game, and says what is wrong with other moves. */

import { numberOf, spoken, turnOf } from "./chess.js";
import { announce, h, icon, toast } from "./dom.js";
import { Exercise } from "./exercise.js";
import { saveSetting, saveTabValue, loadSetting } from "./store.js";

/** @typedef {import("./record.js").Node} Node */
/** @typedef {import("./record.js").GameRecord} GameRecord */

/** @typedef {{passed: number, found: number, missed: boolean}} Progress mistakes that are done, those found at the first try, and whether a try at the next failed */

const SIDES = { both: "Both sides", white: "White", black: "Black" };

/**
 * The mistakes of the main line to which annotation has written something better.
 * @param {GameRecord} record @param {string} side "white", "black" or "both"
 */
export function mistakesOf(record, side) {
  return record.main().filter((node) => ["?", "??"].includes(node.mark ?? "") && betterMoves(node).length
    && (side === "both" || turnOf(/** @type {Node} */ (node.parent).fen) === side));
}

/** The moves that are written beside a mistake without a bad mark. @param {Node} node */
function betterMoves(node) {
  return /** @type {Node} */ (node.parent).children.filter((child) => child !== node && !(child.mark ?? "").includes("?"));
}

export class Practice extends Exercise {
  /** Begins, or goes on where a practice of the same game was left. @param {GameRecord} record @param {boolean} flipped @param {Progress|null} [kept] */
  start(record, flipped, kept = null) {
    this.record = record;
    this.flipped = flipped;
    this.mistakes = mistakesOf(record, loadSetting("practice-side", "both"));
    if (!mistakesOf(record, "both").length) {
      saveTabValue("practice", null);
      toast(record.headers.WhiteAccuracy ? "No mistakes to practise: well played." : "Annotate the game first: its mistakes are what you practise.");
      return;
    }
    const { passed, found, missed } = kept ?? { passed: 0, found: 0, missed: false };
    [this.at, this.found] = [Math.min(passed, this.mistakes.length) - 1, found];
    this.open();
    this.next();
    this.missed = missed;
    this.store();
  }

  /** Leaves practice. */
  stop() {
    if (this.isOn) saveTabValue("practice", null);
    super.stop();
  }

  /** Stores how far practice has come, for a reload. */
  store() {
    saveTabValue("practice", { passed: this.at + Number(this.solved), found: this.found, missed: this.missed && !this.solved });
  }

  next() {
    this.at += 1;
    const mistake = this.mistakes[this.at];
    [this.missed, this.solved, this.notes] = [false, false, []];
    this.asking = mistake?.parent ?? null;
    this.face();
    this.showBoard();
    this.show();
    if (mistake) announce(this.question(mistake));
    else announce(this.summary());
  }

  /** @param {Node} mistake */
  question(mistake) {
    const before = /** @type {Node} */ (mistake.parent);
    const side = turnOf(before.fen) === "white" ? "White" : "Black";
    return `${side} played ${numberOf(before.fen)} ${mistake.san}${mistake.mark}. Find a better move.`;
  }

  summary() {
    const count = this.mistakes.length;
    return count ? `You found ${this.found} of ${count} better moves at the first try.` : `No mistakes by ${SIDES[loadSetting("practice-side", "both")]}.`;
  }

  /** Judges a move that was tried. @param {string} uci */
  async attempt(uci) {
    const mistake = this.mistakes[this.at];
    const { asking, record } = this;
    const move = asking && record?.rulesAt(asking).fromUci(uci);
    if (!move || this.solved || this.checking) return;
    const san = record.rulesAt(asking).san(move);
    const written = betterMoves(mistake).find((child) => child.san === san);
    if (written) this.accept(san, "That is the move.");
    else await this.judge(uci, san, san === mistake.san);
  }

  /** Has the server judge a move, and say what is wrong with it. @param {string} uci @param {string} san @param {boolean} isMistake whether it is the mistake itself */
  async judge(uci, san, isMistake) {
    const { asking } = this;
    this.checking = true;
    this.show();
    try {
      const verdict = await this.connection.request("judge", { .../** @type {GameRecord} */ (this.record).positionFields(/** @type {Node} */ (asking)), uci });
      this.checking = false;
      if (!this.isOn || this.asking !== asking) return;
      const why = [verdict.reason, verdict.refutation && `the answer is ${verdict.refutation}`].filter(Boolean).join("; ");
      if (isMistake) this.refuse(san, this.mistakes[this.at].mark ?? "", why || "that is what was played");
      else if (verdict.good) this.accept(san, "That is as good as the best move.");
      else this.refuse(san, verdict.mark, why);
    } catch (error) {
      this.checking = false;
      toast(/** @type {Error} */ (error).message, "error");
      this.showBoard();
      this.show();
    }
  }

  /** @param {string} san @param {string} words */
  accept(san, words) {
    if (!this.missed) this.found += 1;
    this.showSolution(san);
    const { comment } = this.mistakes[this.at];
    this.notes.push(h("p.right", {}, h("strong", {}, san), `: ${words}`), ...(comment ? [h("p", {}, h("strong", {}, this.mistakes[this.at].san), `: ${comment}`)] : []));
    this.show();
    announce(`${spoken(san)}. ${words}`);
    this.focusNext();
  }

  /** @param {string} san @param {string} mark @param {string} why */
  refuse(san, mark, why) {
    this.missed = true;
    this.showBoard();
    this.notes.push(h("p.wrong", {}, h("strong", {}, san), h("span.mark", {}, mark), `: ${why || "there is something better"}.`));
    this.show();
    announce(`${spoken(san)} is not good enough: ${why}`);
  }

  giveUp() {
    const mistake = this.mistakes[this.at];
    const [better] = betterMoves(mistake);
    this.missed = true;
    this.showSolution(better.san ?? "");
    this.notes.push(h("p", {}, h("strong", {}, better.san ?? ""), ` was better.${mistake.comment ? ` ${mistake.san}: ${mistake.comment}` : ""}`));
    this.show();
    this.focusNext();
  }

  show() {
    const mistake = this.mistakes[this.at];
    const last = this.at >= this.mistakes.length - 1;
    const side = h("select", { "aria-label": "Whose mistakes", onchange: () => this.chooseSide(side.value) },
      ...Object.entries(SIDES).map(([value, words]) => h("option", { value, selected: value === loadSetting("practice-side", "both") }, words)));
    const actions = !mistake ? [this.button("Practise again", () => this.start(/** @type {GameRecord} */ (this.record), Boolean(this.flipped)), "button.primary")]
      : this.solved ? [this.button(last ? "Finish" : "Next", () => this.next(), "button.primary")] : [this.button("Show the move", () => this.giveUp())];
    this.panel.replaceChildren(
      h("div.practice-head", {}, icon("target"), h("strong", {}, mistake ? `Mistake ${this.at + 1} of ${this.mistakes.length}` : "Finished"), h("span.faint", { id: "practice-count" }, `${this.found} found`), side),
      h("p.question", {}, mistake ? this.question(mistake) : this.summary()),
      h("div.notes", {}, ...this.notes, ...(this.checking ? [h("p.faint", {}, "Checking the move …")] : [])),
      h("div.actions", {}, ...actions, this.button("Leave practice", () => this.leave(), "button.quiet")));
    this.store();
  }

  /** @param {string} side */
  chooseSide(side) {
    saveSetting("practice-side", side);
    this.start(/** @type {GameRecord} */ (this.record), Boolean(this.flipped));
  }
}
