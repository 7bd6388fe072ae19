/** The dialog that loads a game or a position; it closes when that has worked, and keeps its text until then. */

import { byId } from "./dom.js";

export class LoadDialog {
  /** @param {(blob: Blob, name?: string) => Promise<void>} load throws an Error for what cannot be loaded */
  constructor(load) {
    this.load = load;
    this.dialog = byId("load-dialog");
    this.problem = byId("load-problem");
    this.dialog.querySelector("form").addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      this.submit(new Blob([byId("load-text").value]));
    });
    byId("load-cancel").addEventListener("click", () => this.dialog.close());
    byId("load-text").addEventListener("input", () => this.showProblem(""));
    byId("load-file").addEventListener("change", () => {
      const [file] = byId("load-file").files;
      byId("load-file").value = "";
      if (file) this.submit(file, file.name);
    });
  }

  open() {
    this.showProblem("");
    this.dialog.showModal();
    byId("load-text").select();
  }

  /** @param {string} problem */
  showProblem(problem) {
    this.problem.textContent = problem;
    this.problem.hidden = !problem;
    byId("load-text").setAttribute("aria-invalid", String(Boolean(problem)));
  }

  /** @param {Blob} blob @param {string} [name] */
  async submit(blob, name) {
    try {
      await this.load(blob, name);
      this.dialog.close();
    } catch (error) {
      this.showProblem(/** @type {Error} */ (error).message);
    }
  }
}
