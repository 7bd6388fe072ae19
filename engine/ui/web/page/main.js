/** The page itself: its three views, its settings, its connection. */

import { AnalyseView } from "./analyse.js";
import { byId, loadStyle, toast } from "./dom.js";
import { PlayView } from "./play.js";
import { keep, keepHere, recall, recallHere } from "./store.js";
import { Talk } from "./talk.js";

const TITLES = { play: "Play", analyse: "Analyse", watch: "Watch" };

const KEYS = {
  ArrowLeft: "previous", ArrowRight: "next", ArrowUp: "first", ArrowDown: "last", f: "flip", h: "hint", m: "type", c: "comment", "+": "larger", "-": "smaller", n: "nextGame", p: "previousGame",
  "Shift+ArrowUp": "above", "Shift+ArrowDown": "below", "Shift+ArrowLeft": "out", Delete: "delete", "Ctrl+z": "undo",
};

export class App {
  constructor() {
    this.talk = new Talk();
    /** @type {Record<string, any>} */
    this.views = { play: new PlayView(this), analyse: new AnalyseView(this) };
    this.current = "";
    this.bindSettings();
    this.bindKeys();
    this.bindDrops();
    this.bindConnection();
    window.addEventListener("hashchange", () => this.route());
    this.route();
    this.talk.open();
  }

  route() {
    const asked = location.hash.slice(1);
    if (asked === "main") return;
    if (/^(fen|pgn)=/.test(asked)) {
      history.replaceState(null, "", "#analyse");
      this.views.analyse.openLink(asked);
      this.route();
      return;
    }
    const name = [asked, recallHere("view", "play")].find((view) => Object.hasOwn(TITLES, view)) ?? "play";
    if (name === this.current) return;
    if (!this.views[name]) {
      this.loadWatch().then(() => this.route());
      return;
    }
    if (this.current) this.views[this.current].leave();
    this.current = name;
    keepHere("view", name);
    for (const view of Object.keys(TITLES)) {
      byId(`view-${view}`).hidden = view !== name;
      const link = document.querySelector(`nav [data-view=${view}]`);
      if (view === name) link?.setAttribute("aria-current", "page");
      else link?.removeAttribute("aria-current");
    }
    document.title = `${TITLES[name]} · Adversary`;
    this.views[name].enter();
  }

  /** @param {string} name */
  go(name) {
    location.hash = name;
  }

  /** Opens a game on the analysis board, after so many moves. @param {import("./record.js").Record} record @param {number} ply @param {boolean} flipped */
  analyse(record, ply, flipped) {
    this.views.analyse.open(record, { steps: Array(ply).fill(0), flipped });
    this.go("analyse");
  }

  /** Has the game on the analysis board annotated, as the dialog was set last. */
  review() {
    this.views.analyse.annotator.review();
  }

  /** Offers a game against the engine from a position. @param {string} fen */
  playFrom(fen) {
    this.views.play.offer(fen);
    this.go("play");
  }

  /** The view for watching, which is loaded on first use. */
  async loadWatch() {
    const [{ WatchView }] = await Promise.all([import("./watch.js"), loadStyle("/page/watch.css")]);
    this.views.watch ??= new WatchView(this);
    return this.views.watch;
  }

  /** @param {string} fen @param {boolean} chess960 */
  async watch(fen, chess960) {
    (await this.loadWatch()).open(fen, chess960);
    this.go("watch");
  }

  bindConnection() {
    const banner = byId("banner");
    this.talk.on("lost", ({ full }) => {
      if (this.talk.failures < 2) return;
      banner.textContent = full ? "All boards are taken. Trying again …" : "The connection to the engine was lost. Trying again …";
      banner.hidden = false;
    });
    this.talk.on("welcome", ({ version }) => {
      if (!banner.hidden) toast("Reconnected");
      banner.hidden = true;
      byId("version").textContent = `Adversary ${version}`;
    });
    window.addEventListener("online", () => this.talk.hurry());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.talk.hurry();
      this.views[this.current].rest?.(document.hidden);
    });
  }

  bindSettings() {
    const root = document.documentElement;
    const night = window.matchMedia("(prefers-color-scheme: dark)");
    const paint = () => {
      const theme = recall("theme", "auto");
      root.dataset.theme = theme === "auto" ? (night.matches ? "dark" : "light") : theme;
      root.toggleAttribute("data-large", recall("large", false));
      root.style.setProperty("--size", String(recall("size", 100) / 100));
      byId("set-size").value = recall("size", 100);
      byId("set-size-words").textContent = `${recall("size", 100)} %`;
    };
    this.resize = (/** @type {number} */ size) => { keep("size", Math.min(100, Math.max(50, size))); paint(); };
    byId("set-size").addEventListener("input", () => this.resize(Number(byId("set-size").value)));
    for (const radio of document.querySelectorAll("[name=theme]")) {
      const input = /** @type {HTMLInputElement} */ (radio);
      input.checked = input.value === recall("theme", "auto");
      input.addEventListener("change", () => { keep("theme", input.value); paint(); });
    }
    for (const [name, start] of Object.entries({ large: false, sound: false, arrows: true })) {
      const box = byId(`set-${name}`);
      box.checked = recall(name, start);
      box.addEventListener("change", () => { keep(name, box.checked); paint(); this.views.analyse.engine.showArrows(); });
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
        this.resize(recall("size", 100) + (name === "larger" ? 5 : -5));
        return;
      }
      if (name === "type") {
        const field = document.getElementById(`${this.current}-text`);
        field?.focus();
        event.preventDefault();
        return;
      }
      const act = this.views[this.current].steps()[name];
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
      zone.hidden = false;
    });
    document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) zone.hidden = true; });
    document.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (/** @type {HTMLElement} */ (event.target).closest("input, textarea, dialog") || !text.trim()) return;
      this.go("analyse");
      this.views.analyse.load(text);
    });
    document.addEventListener("drop", (event) => {
      zone.hidden = true;
      if (!takes(event)) return;
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      this.go("analyse");
      if (file) this.views.analyse.loadFile(file);
      else this.views.analyse.load(event.dataTransfer?.getData("text/plain") ?? "");
    });
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
