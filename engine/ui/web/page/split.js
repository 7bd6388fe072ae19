/** Splits the bytes of a file into text and a text into games; the page and its worker share it. */

/** @typedef {{headers: Record<string, string>, text: string}} Entry one game of a file */
/** @typedef {{headers: Record<string, string>, begin: number, end: number}} Span where a game stands in a text */

const TAG = /\[(\w+)[^\S\n]+"((?:[^"\\\n]|\\[^\n])*)/y;
const BLANK = /[^\S\n]*(?:%[^\n]*)?(?:\n|$)/y; // or a line that PGN ignores

/**
 * The text of a file: by its byte order mark, else as UTF-8, else as Latin-1, the character set of the PGN standard.
 * @param {Uint8Array} bytes
 */
export function decodeText(bytes) {
  const [first, second, third] = bytes;
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  const isMarked = first === 0xef && second === 0xbb && third === 0xbf;
  try {
    return new TextDecoder("utf-8", { fatal: !isMarked }).decode(bytes);
  } catch {
    return new TextDecoder("latin1").decode(bytes);
  }
}

/** Finds a character again and again while the text is walked through once. */
class Finder {
  /** @param {string} text @param {string} character */
  constructor(text, character) {
    this.text = text;
    this.character = character;
    this.index = -1;
  }

  /** The first index of the character from `at` on, which never decreases; the length of the text if there is none. @param {number} at */
  from(at) {
    if (this.index < at) {
      const index = this.text.indexOf(this.character, at);
      this.index = index < 0 ? this.text.length : index;
    }
    return this.index;
  }
}

/** @param {RegExp} pattern a sticky one @param {string} text @param {number} at */
function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * The games of a text one after the other, in time proportional to its length. A game ends where the tags of the next begin.
 * @param {string} text
 * @returns {Generator<Span>}
 */
export function* gameSpans(text) {
  const [newlines, opens, closes, notes] = ["\n", "{", "}", ";"].map((character) => new Finder(text, character));
  let [begin, at, hasMoves, isLineStart] = [0, 0, false, true];
  /** @type {Record<string, string>} */
  let headers = {};
  while (at < text.length) {
    const end = newlines.from(at) + 1;
    const tag = isLineStart && text[at] === "[" ? matchAt(TAG, text, at) : null;
    if (tag && hasMoves) {
      yield { headers, begin, end: at };
      [begin, hasMoves, headers] = [at, false, {}];
    }
    const isBlank = isLineStart && !tag && matchAt(BLANK, text, at) !== null;
    if (tag) headers[tag[1]] = tag[2].replace(/\\(.)/g, "$1");
    else if (!isBlank) hasMoves = true;
    const comment = tag || isBlank ? end : opens.from(at);
    isLineStart = comment >= Math.min(end, notes.from(at));
    at = isLineStart ? end : closes.from(comment) + 1;
  }
  if (hasMoves || Object.keys(headers).length) yield { headers, begin, end: text.length };
}

/** The games of a text, with their tags and the whole text of each. @param {string} text @returns {Entry[]} */
export function splitGames(text) {
  return Array.from(gameSpans(text), ({ headers, begin, end }) => ({ headers, text: text.slice(begin, end) }));
}
