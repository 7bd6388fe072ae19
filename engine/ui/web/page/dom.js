/** Small DOM helpers: making elements, finding them, announcing text to screen readers. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * The element with this id, which the page must have.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element #${id}`);
  return found;
}

/**
 * Gives properties to an element: functions become listeners, true an empty attribute, false and null none.
 * @param {Element} element
 * @param {Record<string, any>} properties
 */
function setProperties(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * An HTML element, `h("button.quiet", {type: "button", onclick: act}, "Flip")`.
 * @param {string} selector tag and classes, as in a selector
 * @param {Record<string, any>} [properties]
 * @param {...(Node|string|null)} children
 * @returns {any}
 */
export function h(selector, properties = {}, ...children) {
  const [tag, ...classes] = selector.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  setProperties(element, properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/**
 * An SVG element, `s("circle", {cx: 4, cy: 4, r: 1})`; classes are given as an attribute.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node|string|null)} children
 * @returns {any}
 */
export function s(tag, properties = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  setProperties(element, properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/**
 * One of the icons that index.html defines.
 * @param {string} name
 */
export function icon(name) {
  return s("svg", { class: "icon", "aria-hidden": "true" }, s("use", { href: `#i-${name}` }));
}

/**
 * Has a screen reader say the text, also when it is the same as the last one.
 * @param {string} text
 */
export function announce(text) {
  const voice = byId("voice");
  voice.replaceChildren(h("p", {}, text));
}

/** @param {string} text */
export const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

let fading = 0;

/**
 * Shows a short message at the foot of the window for some seconds, with a button if there is something to do about it.
 * @param {string} text
 * @param {"info"|"error"} [severity]
 * @param {{label: string, act: () => void}|null} [action]
 */
export function toast(text, severity = "info", action = null) {
  const element = byId("toast");
  const button = action && h("button.quiet", { type: "button", onclick: () => { element.hidden = true; action.act(); } }, action.label);
  element.replaceChildren(capitalized(text), ...(button ? [button] : []));
  element.dataset.severity = severity;
  element.hidden = false;
  window.clearTimeout(fading);
  fading = window.setTimeout(() => { element.hidden = true; }, action ? 9000 : 4500);
}

/**
 * Copies text, and says so. Only pages of this machine or over HTTPS are given a clipboard; others copy a selection.
 * @param {string} text
 * @param {string} what
 */
export async function copy(text, what) {
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea.unseen", {});
    area.value = text;
    document.body.append(area);
    area.select();
    copied = document.execCommand("copy");
    area.remove();
  }
  toast(copied ? `${what} copied` : `The browser does not let the page copy the ${what}`, copied ? "info" : "error");
}

/**
 * Offers text, whole or in parts, or a picture as a file to save.
 * @param {string|string[]|Blob} content
 * @param {string} name
 * @param {string} [type]
 */
export function download(content, name, type = "application/x-chess-pgn") {
  const address = URL.createObjectURL(new Blob([content].flat(), { type }));
  h("a", { href: address, download: name }).click();
  window.setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Loads a stylesheet; resolves when it holds, or cannot be had. @param {string} address @returns {Promise<void>} */
export function loadStyle(address) {
  if (document.querySelector(`link[href="${address}"]`)) return Promise.resolve();
  return new Promise((done) => document.head.append(h("link", { rel: "stylesheet", href: address, onload: () => done(), onerror: () => done() })));
}
