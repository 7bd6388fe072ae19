/**
 * Values that survive a reload, a closed tab and a restarted server. Settings are shared by all tabs; games belong to one tab,
 * so that two tabs never overwrite each other. A new tab continues where the last closed one stopped, and a duplicated tab
 * gets a copy. A browser without storage is not an error.
 */

const PREFIX = "adversary.";
const TABS = `${PREFIX}tab.`;
const MOST_TABS = 12; // whose state is stored
const ALIVE = 150000; // milliseconds after which an open tab that gives no sign has crashed
const SIGN = 50000; // milliseconds between two signs

/** @param {Storage} storage @param {string} key @param {any} otherwise */
function read(storage, key, otherwise) {
  try {
    const text = storage.getItem(key);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/** Returns whether the value is stored. @param {Storage} storage @param {string} key @param {unknown} value null removes it */
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
 * @param {T} otherwise the default if nothing is stored
 * @returns {T}
 */
export const recall = (name, otherwise) => read(localStorage, PREFIX + name, otherwise);

/** @param {string} name @param {unknown} value null removes it */
export const keep = (name, value) => write(localStorage, PREFIX + name, value);

/** The tabs whose state is stored, the latest first. @returns {{id: string, seen: number, open: boolean}[]} */
function storedTabs() {
  const tabs = [];
  for (let index = 0; index < localStorage.length; index += 1) {
    const key = localStorage.key(index) ?? "";
    if (!key.startsWith(TABS) || key.slice(TABS.length).includes(".")) continue;
    tabs.push({ id: key.slice(TABS.length), seen: 0, open: false, ...read(localStorage, key, {}) });
  }
  return tabs.sort((one, other) => other.seen - one.seen);
}

/** @param {{seen: number, open: boolean}} tab */
const isFree = ({ seen, open }) => !open || Date.now() - seen > ALIVE;

/** The names and texts of a tab's values. @param {string} id @returns {[string, string][]} */
function valuesOf(id) {
  const start = `${TABS}${id}.`;
  return Object.keys(localStorage).filter((key) => key.startsWith(start)).map((key) => [key.slice(start.length), localStorage.getItem(key) ?? ""]);
}

/** @param {string} id */
function forget(id) {
  for (const [name] of valuesOf(id)) localStorage.removeItem(`${TABS}${id}.${name}`);
  localStorage.removeItem(TABS + id);
}

/** Gives this tab its name: its own, that of the last closed tab, or a new one; and the name of the tab it is a copy of. @returns {[string, string|null]} */
function nameTab() {
  const own = read(sessionStorage, `${PREFIX}tab`, null);
  const tabs = storedTabs();
  const mine = tabs.find(({ id }) => id === own);
  if (mine && isFree(mine)) return [mine.id, null];
  const fresh = Date.now().toString(36) + Math.random().toString(36).slice(2, 8);
  if (mine) for (const [name, text] of valuesOf(mine.id)) localStorage.setItem(`${TABS}${fresh}.${name}`, text);
  return [mine || own ? fresh : tabs.find(isFree)?.id ?? fresh, mine?.id ?? null];
}

/** Opens the state of this tab, and forgets that of tabs closed long ago. */
function openTab() {
  try {
    const [id, copyOf] = nameTab();
    const sign = (/** @type {boolean} */ open) => write(localStorage, TABS + id, { seen: Date.now(), open });
    write(sessionStorage, `${PREFIX}tab`, id);
    sign(true);
    for (const old of storedTabs().slice(MOST_TABS).filter(isFree)) forget(old.id);
    window.setInterval(() => sign(true), SIGN);
    window.addEventListener("pagehide", () => sign(false));
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

/** A value of this tab. @param {string} name @param {any} otherwise */
export const recallHere = (name, otherwise) => read(localStorage, `${TABS}${TAB}.${name}`, otherwise);

/** Stores a value of this tab; if there is no room, at the cost of tabs closed long ago. Returns whether it is stored. @param {string} name @param {unknown} value */
export function keepHere(name, value) {
  const key = `${TABS}${TAB}.${name}`;
  if (write(localStorage, key, value)) return true;
  const old = storedTabs().filter((tab) => tab.id !== TAB && isFree(tab)).reverse();
  return old.some(({ id }) => {
    forget(id);
    return write(localStorage, key, value);
  });
}
