/** Values that survive a reload: the game, the settings. A browser without storage is not an error. */

const PREFIX = "adversary.";

/**
 * @template T
 * @param {string} name
 * @param {T} otherwise the default if nothing is stored
 * @returns {T}
 */
export function recall(name, otherwise) {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/**
 * @param {string} name
 * @param {unknown} value null removes it
 */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // A private window may refuse; the page works without storage.
  }
}
