/** The card that changes the selected node of a tree: who moves there, its values and odds, its branches. */

import { h } from "./dom.js";
import { addBelow, allOf, changeSeats, changeType, MOST_PLAYERS, parentOf, remove, seatsOf, shift, textOf } from "./treemodel.js";

/** @typedef {import("./treemodel.js").Branch} Branch */

export class TreeEditor {
  /** @param {{onChange: (text: string) => void, onSelect: (number: number) => void}} options */
  constructor({ onChange, onSelect }) {
    this.onChange = onChange;
    this.onSelect = onSelect;
    /** @type {any} */
    this.root = null;
    this.number = 0;
    /** The node to select when the server has read the change. @type {number|null} */
    this.wanted = null;
    const button = (/** @type {string} */ id, /** @type {string} */ label, /** @type {string} */ what, title = "") =>
      h("button", { type: "button", id: `edit-${id}`, title, onclick: () => this.act(what) }, label);
    this.title = h("h2");
    this.seats = h("select", { id: "edit-players", onchange: () => this.commit(() => { changeSeats(this.root, Number(this.seats.value)); return this.branch; }) },
      h("option", { value: 1 }, "MAX and MIN"), ...Array.from({ length: MOST_PLAYERS - 1 }, (_, at) => h("option", { value: at + 2 }, `${at + 2} players`)));
    this.type = h("select", { id: "edit-type", onchange: () => this.commit(() => { changeType(this.root, this.branch, this.type.value); return this.branch; }) });
    this.values = h("div.values");
    this.odds = h("input", { type: "text", id: "edit-odds", autocomplete: "off", onchange: (/** @type {Event} */ event) => this.enter(event, (text) => { this.branch.odds = text; }) });
    this.oddsField = h("div.field", {}, h("label", { for: "edit-odds" }, "Odds of this branch"), this.odds);
    this.card = h("div.card", { role: "group", "aria-label": "Edit the tree" }, this.title,
      h("div.pair", {}, h("div.field", {}, h("label", { for: "edit-type" }, "Who moves here"), this.type), h("div.field", {}, h("label", { for: "edit-players" }, "Players"), this.seats)),
      this.values, this.oddsField,
      h("div.actions", {}, button("add", "Add a branch", "add", "Add a branch (Insert)"), button("delete", "Delete", "delete", "Delete this node (Delete)"), button("left", "Move left", "left"), button("right", "Move right", "right")));
  }

  /** @returns {Branch} */
  get branch() {
    return allOf(this.root)[this.number];
  }

  /** @param {Branch} root @param {number} number */
  show(root, number) {
    this.root = root;
    this.wanted = null;
    this.select(number);
  }

  /** @param {number} number */
  select(number) {
    const focused = this.card.contains(document.activeElement) ? document.activeElement?.id : "";
    this.number = number;
    const { branch } = this;
    const seats = seatsOf(this.root);
    const above = parentOf(this.root, branch);
    const names = seats > 1 ? Array.from({ length: seats }, (_, at) => `player ${at + 1}`) : ["max", "min"];
    this.title.textContent = above ? `Node ${this.nameOf(branch)}` : "The root";
    this.seats.value = String(seats);
    this.type.replaceChildren(...[...names, "chance", "leaf"].map((name) => h("option", { value: name }, { leaf: "Nobody: a leaf", max: "MAX", min: "MIN", chance: "Chance" }[name] ?? name.replace("p", "P"))));
    this.type.value = branch.type === "player" ? `player ${branch.player + 1}` : branch.type;
    this.values.replaceChildren(...branch.values.map((value, at) => this.valueField(value, at, branch)));
    this.values.hidden = !branch.values.length;
    this.oddsField.hidden = above?.type !== "chance";
    this.odds.value = branch.odds;
    for (const name of ["left", "right"]) this.button(name).disabled = !above || above.children.at(name === "left" ? 0 : -1) === branch;
    if (focused) this.card.querySelector(`#${focused}`)?.focus();
  }

  /** @param {string} name @returns {any} */
  button(name) {
    return this.card.querySelector(`#edit-${name}`);
  }

  /** @param {string} value @param {number} at @param {Branch} branch */
  valueField(value, at, branch) {
    const id = `edit-value-${at}`;
    const change = (/** @type {Event} */ event) => this.enter(event, (text) => { branch.values[at] = text; });
    return h("div.field", {}, h("label", { for: id }, branch.values.length > 1 ? `Player ${at + 1} gets` : "Value for MAX"),
      h("input", { type: "text", id, value, autocomplete: "off", onchange: change }));
  }

  /** Takes what was typed into a field; nothing is no number. @param {Event} event @param {(text: string) => void} change */
  enter(event, change) {
    const text = /** @type {HTMLInputElement} */ (event.target).value.trim();
    if (text) this.commit(() => { change(text); return this.branch; });
  }

  /** The moves that lead to a node. @param {Branch} branch @returns {string} */
  nameOf(branch) {
    const above = parentOf(this.root, branch);
    if (!above) return "";
    const index = above.children.indexOf(branch);
    return this.nameOf(above) + (above.children.length > 26 ? `${index + 1}.` : String.fromCharCode(97 + index));
  }

  /** Does what a button or a key asks for. @param {string} what */
  act(what) {
    if (!this.root) return;
    const { root, branch } = this;
    if (what === "add") this.commit(() => addBelow(root, branch));
    if (what === "delete") this.commit(() => remove(root, branch));
    if (what === "left" || what === "right") this.commit(() => { shift(root, branch, what === "left" ? -1 : 1); return branch; });
    if (what === "change") /** @type {any} */ (this.values.querySelector("input") ?? this.type).focus();
  }

  /** Changes the tree, and has it read. @param {() => Branch} change returns what is selected afterwards */
  commit(change) {
    const selected = change();
    this.wanted = allOf(this.root).indexOf(selected);
    this.onChange(textOf(this.root));
  }
}
