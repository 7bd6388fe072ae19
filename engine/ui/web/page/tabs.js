/** Panels of which one is shown, with a row of tabs that the arrow keys move along. */

import { byId } from "./dom.js";
import { saveSetting, loadSetting } from "./store.js";

export class Tabs {
  /** @param {string} name of the setting that keeps the choice @param {string[]} panels the ids of the panels; their tabs have "tab-" before */
  constructor(name, panels) {
    this.name = name;
    this.panels = panels;
    for (const panel of panels) {
      const tab = byId(`tab-${panel}`);
      tab.addEventListener("click", () => this.show(panel));
      tab.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.type(event, panel));
    }
    this.show(loadSetting(name, panels[0]));
  }

  /** @param {string} chosen */
  show(chosen) {
    const shown = this.panels.includes(chosen) ? chosen : this.panels[0];
    for (const panel of this.panels) {
      const tab = byId(`tab-${panel}`);
      tab.setAttribute("aria-selected", String(panel === shown));
      tab.tabIndex = panel === shown ? 0 : -1;
      byId(panel).hidden = panel !== shown;
    }
    saveSetting(this.name, shown);
  }

  /** @param {KeyboardEvent} event @param {string} panel */
  type(event, panel) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const next = this.panels[(this.panels.indexOf(panel) + by + this.panels.length) % this.panels.length];
    this.show(next);
    byId(`tab-${next}`).focus();
  }
}
