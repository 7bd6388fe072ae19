/** The page itself: its five views, its settings, its connection. */

import { byId, h, loadStyle, toast } from "./dom.js";
import { PlayView } from "./play.js";
import { isPersistent, saveSetting, saveTabValue, loadSetting, loadTabValue } from "./store.js";
import { Connection } from "./connection.js";

const TITLES = { play: "Play", analyse: "Analyse", train: "Train", watch: "Watch", trees: "Trees" };

const KEYS = {
  ArrowLeft: "previous", ArrowRight: "next", ArrowUp: "first", ArrowDown: "last", f: "flip", h: "hint", m: "type", c: "comment", "+": "larger", "-": "smaller", n: "nextGame", p: "previousGame", ".": "nextMistake", ",": "previousMistake", e: "explain", b: "explainBest",
  "Shift+ArrowUp": "above", "Shift+ArrowDown": "below", "Shift+ArrowLeft": "out", Delete: "delete", "Ctrl+z": "undo",
};

export class App {
  constructor() {
    this.connection = new Connection();
    /** @type {Record<string, any>} */
    this.views = { play: new PlayView(this) };
    this.current = "";
    this.bindSettings();
    this.bindKeys();
    this.bindDrops();
    this.bindConnection();
    window.addEventListener("hashchange", () => this.route());
    this.route();
    this.connection.open();
    if (!isPersistent) toast("This browser blocks storage: games and settings are kept only until the page is closed.");
  }

  route() {
    const fragment = location.hash.slice(1);
    if (fragment === "main") return;
    if (/^(fen|pgn)=/.test(fragment)) {
      history.replaceState(null, "", "#analyse");
      this.loadAnalyse().then((view) => view.openLink(fragment));
      this.route();
      return;
    }
    if (fragment.startsWith("tree=")) {
      history.replaceState(null, "", "#trees");
      this.loadTrees().then((view) => view.openLink(fragment));
      this.route();
      return;
    }
    const name = [fragment, loadTabValue("view", "play")].find((view) => Object.hasOwn(TITLES, view)) ?? "play";
    if (name === this.current) return;
    this.views[this.current]?.leave();
    this.current = name;
    saveTabValue("view", name);
    for (const view of Object.keys(TITLES)) {
      byId(`view-${view}`).hidden = view !== name || !this.views[name];
      const link = document.querySelector(`nav [data-view=${view}]`);
      if (view === name) link?.setAttribute("aria-current", "page");
      else link?.removeAttribute("aria-current");
    }
    document.title = `${TITLES[name]} · Adversary`;
    this.load(name).then((view) => {
      if (this.current !== name) return;
      byId(`view-${name}`).hidden = false;
      view.enter();
    });
  }

  /** A view, which is loaded on first use. @param {string} name @returns {Promise<any>} */
  load(name) {
    if (name === "analyse") return this.loadAnalyse();
    if (name === "trees") return this.loadTrees();
    if (name === "train") return this.loadTrain();
    return name === "watch" ? this.loadWatch() : Promise.resolve(this.views.play);
  }

  /** @param {string} name */
  go(name) {
    location.hash = name;
  }

  /** Opens a game on the analysis board, after so many moves. @param {import("./record.js").GameRecord} record @param {number} ply @param {boolean} flipped */
  async analyse(record, ply, flipped) {
    (await this.loadAnalyse()).open(record, { steps: Array(ply).fill(0), flipped });
    this.go("analyse");
  }

  /** Opens a game on the analysis board and has it annotated, as the dialog was set last. @param {import("./record.js").GameRecord} record @param {boolean} flipped */
  async review(record, flipped) {
    await this.analyse(record, 0, flipped);
    this.views.analyse.annotator.review();
  }

  /** Asks the moves of the kept repertoires. */
  async practiseOpenings() {
    this.go("analyse");
    (await this.loadAnalyse()).practiseOpenings("recall", {});
  }

  /** Offers a game against the engine from a position. @param {string} fen */
  playFrom(fen) {
    this.views.play.offer(fen);
    this.go("play");
  }

  async loadAnalyse() {
    const { AnalyseView } = await import("./analyse.js");
    this.views.analyse ??= new AnalyseView(this);
    return this.views.analyse;
  }

  async loadWatch() {
    const [{ WatchView }] = await Promise.all([import("./watch.js"), loadStyle("/page/watch.css")]);
    this.views.watch ??= new WatchView(this);
    return this.views.watch;
  }

  async loadTrain() {
    const [{ TrainView }] = await Promise.all([import("./train.js"), loadStyle("/page/train.css")]);
    this.views.train ??= new TrainView(this);
    return this.views.train;
  }

  async loadTrees() {
    const [{ TreesView }] = await Promise.all([import("./trees.js"), loadStyle("/page/watch.css"), loadStyle("/page/trees.css")]);
    this.views.trees ??= new TreesView(this);
    return this.views.trees;
  }

  /** @param {string} fen @param {boolean} chess960 */
  async watch(fen, chess960) {
    (await this.loadWatch()).open(fen, chess960);
    this.go("watch");
  }

  bindConnection() {
    const banner = byId("banner");
    this.connection.on("disconnected", ({ full }) => {
      if (this.connection.failures < 2) return;
      banner.textContent = full ? "All boards are taken. Trying again …" : "The connection to the engine was lost. Trying again …";
      banner.hidden = false;
    });
    this.connection.on("welcome", ({ version }) => {
      if (!banner.hidden) toast("Reconnected");
      banner.hidden = true;
      byId("version").textContent = `Adversary ${version}`;
    });
    window.addEventListener("online", () => this.connection.reconnect());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.connection.reconnect();
      this.views[this.current]?.rest?.(document.hidden);
    });
  }

  bindSettings() {
    const root = document.documentElement;
    const night = window.matchMedia("(prefers-color-scheme: dark)");
    const paint = () => {
      const theme = loadSetting("theme", "auto");
      root.dataset.theme = theme === "auto" ? (night.matches ? "dark" : "light") : theme;
      root.toggleAttribute("data-large", loadSetting("large", false));
      root.style.setProperty("--size", String(loadSetting("size", 100) / 100));
      byId("set-size").value = loadSetting("size", 100);
      byId("set-size-words").textContent = `${loadSetting("size", 100)} %`;
    };
    this.resize = (/** @type {number} */ size) => { saveSetting("size", Math.min(100, Math.max(50, size))); paint(); };
    byId("set-size").addEventListener("input", () => this.resize(Number(byId("set-size").value)));
    for (const radio of document.querySelectorAll("[name=theme]")) {
      const input = /** @type {HTMLInputElement} */ (radio);
      input.checked = input.value === loadSetting("theme", "auto");
      input.addEventListener("change", () => { saveSetting("theme", input.value); paint(); });
    }
    for (const [name, start] of Object.entries({ large: false, sound: false, arrows: true })) {
      const box = byId(`set-${name}`);
      box.checked = loadSetting(name, start);
      box.addEventListener("change", () => { saveSetting(name, box.checked); paint(); this.views.analyse?.engine.showArrows(); });
    }
    night.addEventListener("change", paint);
    paint();
    byId("show-keys").addEventListener("click", () => byId("keys-dialog").showModal());
    for (const menu of document.querySelectorAll("details.menu")) bindMenu(/** @type {HTMLDetailsElement} */ (menu));
  }

  /** Global keys, active where no control handles them. */
  bindKeys() {
    document.addEventListener("keydown", (event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      if (event.altKey || event.defaultPrevented) return;
      if (target.matches("input, select, textarea, [role=region]") || target.closest("dialog, details.menu")) return;
      const control = event.ctrlKey || event.metaKey ? "Ctrl+" : "";
      const shift = event.shiftKey && event.key.length > 1 ? "Shift+" : "";
      const name = KEYS[control + shift + (event.key.length === 1 ? event.key.toLowerCase() : event.key)];
      if (!name) return;
      if (name === "larger" || name === "smaller") {
        this.resize(loadSetting("size", 100) + (name === "larger" ? 5 : -5));
        return;
      }
      if (name === "type") {
        const field = document.getElementById(`${this.current}-text`);
        field?.focus();
        event.preventDefault();
        return;
      }
      const act = this.views[this.current]?.steps()[name];
      if (!act) return;
      act();
      event.preventDefault();
    });
  }

  /** A PGN or FEN, as a file or as text, may be dropped or pasted anywhere. */
  bindDrops() {
    const zone = byId("dropzone");
    const takes = (/** @type {DragEvent} */ event) =>
      [...(event.dataTransfer?.types ?? [])].some((type) => type === "Files" || type === "text/plain");
    document.addEventListener("dragover", (event) => {
      if (!takes(event)) return;
      event.preventDefault();
      zone.replaceChildren(h("p", {}, this.current === "train" ? "Drop a file of puzzles to train with them" : "Drop a PGN or FEN to analyse it"));
      zone.hidden = false;
    });
    document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) zone.hidden = true; });
    document.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (/** @type {HTMLElement} */ (event.target).closest("input, textarea, dialog") || !text.trim()) return;
      this.receive(new Blob([text]));
    });
    document.addEventListener("drop", (event) => {
      zone.hidden = true;
      if (!takes(event)) return;
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      this.receive(file ?? new Blob([event.dataTransfer?.getData("text/plain") ?? ""]), file?.name);
    });
  }

  /** Loads what was dropped or pasted. @param {Blob} blob @param {string} [name] of the file */
  async receive(blob, name) {
    if (this.current === "train") (await this.loadTrain()).receive(blob, name);
    else this.receiveGames(blob, name);
  }

  /** Loads games or a position into the analysis. @param {Blob} blob @param {string} [name] of the file */
  async receiveGames(blob, name) {
    const view = await this.loadAnalyse();
    this.go("analyse");
    view.receive(blob, name);
  }
}

/** A menu closes when one clicks elsewhere, and by Escape. @param {HTMLDetailsElement} menu */
function bindMenu(menu) {
  document.addEventListener("click", (event) => {
    if (menu.open && !menu.contains(/** @type {globalThis.Node} */ (event.target))) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
}

new App();
