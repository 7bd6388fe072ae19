/**
 * Values that survive a reload, a closed tab and a restarted server. Settings are shared by all tabs; games belong to one tab,
 * so that two tabs never overwrite each other. A new tab continues where the last closed one stopped, and a duplicated tab
 * gets a copy. Where the browser refuses its storage, everything is kept until the page is left.
 */

const PREFIX = "adversary.";
const TABS = `${PREFIX}tab.`;
const MOST_TABS = 12; // whose state is stored
const HEARTBEAT_TIMEOUT = 150000; // milliseconds after which an open tab that gives no sign has crashed
const HEARTBEAT = 50000; // milliseconds between two signs

/** What takes the place of the browser's storage. */
class MemoryStorage {
  constructor() {
    /** @type {Map<string, string>} */
    this.values = new Map();
  }

  keys() {
    return [...this.values.keys()];
  }

  /** @param {string} key */
  getItem(key) {
    return this.values.get(key) ?? null;
  }

  /** @param {string} key @param {string} value */
  setItem(key, value) {
    this.values.set(key, value);
  }

  /** @param {string} key */
  removeItem(key) {
    this.values.delete(key);
  }
}

/** The browser's storage of this name; null if it is blocked, which is known only by touching it. @param {"localStorage"|"sessionStorage"} name @returns {Storage|null} */
function browserStorage(name) {
  try {
    window[name].getItem(PREFIX);
    return window[name];
  } catch {
    return null;
  }
}

const local = browserStorage("localStorage") ?? new MemoryStorage();
const session = browserStorage("sessionStorage") ?? new MemoryStorage();

/** Whether the browser keeps anything after the page is left. */
export const isPersistent = !(local instanceof MemoryStorage);

const storedKeys = () => (local instanceof MemoryStorage ? local.keys() : Object.keys(local));

/** @param {Storage|MemoryStorage} storage @param {string} key @param {any} defaultValue */
function read(storage, key, defaultValue) {
  try {
    const text = storage.getItem(key);
    return text === null ? defaultValue : JSON.parse(text);
  } catch {
    return defaultValue;
  }
}

/** Returns whether the value is stored. @param {Storage|MemoryStorage} storage @param {string} key @param {unknown} value null removes it */
function write(storage, key, value) {
  try {
    if (value === null) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false; // a private window may refuse, and there is a limit to the size; the page works without storage
  }
}

/**
 * A setting.
 * @template T
 * @param {string} name
 * @param {T} defaultValue the default if nothing is stored
 * @returns {T}
 */
export const loadSetting = (name, defaultValue) => read(local, PREFIX + name, defaultValue);

/** @param {string} name @param {unknown} value null removes it */
export const saveSetting = (name, value) => write(local, PREFIX + name, value);

/** The tabs whose state is stored, the latest first. @returns {{id: string, seen: number, open: boolean}[]} */
function storedTabs() {
  const tabs = [];
  for (const key of storedKeys()) {
    if (!key.startsWith(TABS) || key.slice(TABS.length).includes(".")) continue;
    tabs.push({ id: key.slice(TABS.length), seen: 0, open: false, ...read(local, key, {}) });
  }
  return tabs.sort((one, other) => other.seen - one.seen);
}

/** @param {{seen: number, open: boolean}} tab */
const isFree = ({ seen, open }) => !open || Date.now() - seen > HEARTBEAT_TIMEOUT;

/** The names and texts of a tab's values. @param {string} id @returns {[string, string][]} */
function valuesOf(id) {
  const start = `${TABS}${id}.`;
  return storedKeys().filter((key) => key.startsWith(start)).map((key) => [key.slice(start.length), local.getItem(key) ?? ""]);
}

/** @param {string} id */
function forget(id) {
  for (const [name] of valuesOf(id)) local.removeItem(`${TABS}${id}.${name}`);
  local.removeItem(TABS + id);
}

/** Gives this tab its name: its own, that of the last closed tab, or a new one; and the name of the tab it is a copy of. @returns {[string, string|null]} */
function nameTab() {
  const own = read(session, `${PREFIX}tab`, null);
  const tabs = storedTabs();
  const mine = tabs.find(({ id }) => id === own);
  if (mine && isFree(mine)) return [mine.id, null];
  const fresh = Date.now().toString(36) + Math.random().toString(36).slice(2, 8);
  if (mine) for (const [name, text] of valuesOf(mine.id)) local.setItem(`${TABS}${fresh}.${name}`, text);
  return [mine || own ? fresh : tabs.find(isFree)?.id ?? fresh, mine?.id ?? null];
}

/** Opens the state of this tab, and forgets that of tabs closed long ago. */
function openTab() {
  try {
    const [id, copyOf] = nameTab();
    const beat = (/** @type {boolean} */ open) => write(local, TABS + id, { seen: Date.now(), open });
    write(session, `${PREFIX}tab`, id);
    beat(true);
    for (const old of storedTabs().slice(MOST_TABS).filter(isFree)) forget(old.id);
    window.setInterval(() => beat(true), HEARTBEAT);
    window.addEventListener("pagehide", () => beat(false));
    // Back from the browser's cache: another tab may have taken over in the meantime.
    window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
    return [id, copyOf];
  } catch {
    return ["", null];
  }
}

export const [TAB, COPY_OF] = openTab();

/** The names of all tabs whose state is stored. */
export function storedIds() {
  try {
    return storedTabs().map(({ id }) => id);
  } catch {
    return [];
  }
}

/** A value of this tab. @param {string} name @param {any} defaultValue */
export const loadTabValue = (name, defaultValue) => read(local, `${TABS}${TAB}.${name}`, defaultValue);

/** Stores a value of this tab; if there is no room, at the cost of tabs closed long ago. Returns whether it is stored. @param {string} name @param {unknown} value */
export function saveTabValue(name, value) {
  const key = `${TABS}${TAB}.${name}`;
  if (write(local, key, value)) return true;
  const old = storedTabs().filter((tab) => tab.id !== TAB && isFree(tab)).reverse();
  return old.some(({ id }) => {
    forget(id);
    return write(local, key, value);
  });
}
