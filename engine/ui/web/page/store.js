/** What outlives a reload: the game, the settings. A browser that keeps nothing is no error. */

const PREFIX = "adversary.";

/**
 * @template T
 * @param {string} name
 * @param {T} otherwise what to return where nothing is kept
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
 * @param {unknown} value null forgets it
 */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // A private window may refuse; the page works without.
  }
}
