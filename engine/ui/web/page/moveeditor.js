/** Editing the current move: its comment, its mark, the order of the lines, deleting; and the choice at a fork. */

import { numberOf, spoken } from "./chess.js";
import { byId, h, icon } from "./dom.js";
import { severity } from "./moves.js";

/** @typedef {import("./study.js").Study} Study */

const MARKS = { "!": "Good move", "!!": "Brilliant move", "!?": "Interesting move", "?!": "Inaccuracy", "?": "Mistake", "??": "Blunder" };

export class MoveEditor {
  /**
   * @param {Study} study
   * @param {{show: () => void, remove: () => void}} options what to do after a change, and to delete the move
   */
  constructor(study, { show, remove }) {
    this.study = study;
    this.show = show;
    this.note = byId("note");
    this.note.addEventListener("change", () => this.store());
    this.note.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape" && !(event.key === "Enter" && !event.shiftKey)) return;
      event.preventDefault();
      this.note.blur();
    });
    const act = (/** @type {() => void} */ change) => () => { change(); show(); };
    this.marks = Object.entries(MARKS).map(([mark, label]) => h(`button.quiet.mark.${severity(mark)}`,
      { type: "button", title: label, "aria-label": label, "aria-pressed": "false", "data-mark": mark, onclick: act(() => study.setMark(mark)) }, mark));
    const button = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => void} */ change) =>
      h("button.quiet", { type: "button", title: label, "aria-label": label, "data-tool": name, onclick: change }, icon(name));
    this.up = button("up", "Move this line up", act(() => study.promote()));
    this.trunk = button("trunk", "Make this the main line", act(() => study.makeMain()));
    this.trash = button("delete", "Delete from here", remove);
    byId("tools").replaceChildren(...this.marks, h("span.gap"), this.up, this.trunk, this.trash);
  }

  /** Takes over a comment that was typed, before another move is shown. */
  store() {
    if (this.at !== this.study.node || this.note.value === (this.at.comment ?? "")) return;
    this.study.setComment(this.note.value);
    this.show();
  }

  refresh() {
    const { study } = this;
    const { node } = study;
    if (this.at !== node || document.activeElement !== this.note) this.note.value = node.comment ?? "";
    this.at = node;
    const inLine = Boolean(study.record.branch(node));
    for (const button of this.marks) {
      button.disabled = !node.parent;
      button.setAttribute("aria-pressed", String(node.mark === button.dataset.mark));
    }
    [this.up.disabled, this.trunk.disabled, this.trash.disabled] = [!inLine, !inLine, !node.parent];
    this.showFork();
  }

  /** Where lines part, offers the next move of each. */
  showFork() {
    const { node } = this.study;
    const forks = byId("forks");
    forks.hidden = node.children.length < 2;
    forks.replaceChildren(...node.children.map((child) => h("button", {
      type: "button", "aria-label": spoken(child.san ?? ""), onclick: () => { this.study.node = child; this.show(); },
    }, `${numberOf(node.fen)} ${child.san}${child.mark ?? ""}`)));
  }
}
