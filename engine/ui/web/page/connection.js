/** The connection to the server: one WebSocket, reopened with growing pauses after it was lost. */

const PAUSES = [500, 1000, 2000, 4000, 8000];
const FULL = 1013; // the close code of a server that is full

/** @typedef {{type: string, request?: number, [field: string]: any}} Message */

export class Connection {
  constructor() {
    /** @type {Map<string, ((message: Message) => void)[]>} */
    this.listeners = new Map();
    /** @type {Map<number, {resolve: (message: Message) => void, reject: (error: Error) => void}>} */
    this.pending = new Map();
    this.lastNumber = 0;
    this.failures = 0;
    this.timer = 0;
    /** @type {WebSocket|null} */
    this.socket = null;
    /** The last `welcome` of the server. @type {Message|null} */
    this.welcome = null;
    /** Whether the server has answered `hello` on this connection. */
    this.ready = false;
  }

  /**
   * Calls the listener with every message of that name, and at once with a `welcome` that has come already; "disconnected" {pause, full}
   * comes from the page itself.
   * @param {string} name
   * @param {(message: Message) => void} listener
   */
  on(name, listener) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
    if (name === "welcome" && this.ready && this.welcome) listener(this.welcome);
  }

  /** Opens the connection, with the token that the page's own address carries. */
  open() {
    window.clearTimeout(this.timer);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/session${location.search}`);
    this.socket = socket;
    socket.addEventListener("open", () => this.send("hello"));
    socket.addEventListener("message", (event) => this.receive(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => this.handleClose(event.code === FULL));
  }

  /** Opens the connection at once instead of waiting for the next attempt. */
  reconnect() {
    if (this.socket === null) this.open();
  }

  /** @param {boolean} full whether the server is full */
  handleClose(full) {
    this.ready = false;
    if (full) this.failures = PAUSES.length;
    this.socket = null;
    for (const { reject } of this.pending.values()) reject(new Error("The connection was lost."));
    this.pending.clear();
    const pause = PAUSES[Math.min(this.failures, PAUSES.length - 1)];
    this.failures += 1;
    this.timer = window.setTimeout(() => this.open(), pause);
    this.dispatch({ type: "disconnected", pause, full });
  }

  /** @param {Message} message */
  receive(message) {
    if (message.type === "welcome") {
      this.ready = true;
      this.welcome = message;
      this.failures = 0;
    }
    const pending = message.request === undefined ? undefined : this.pending.get(message.request);
    if (pending) {
      this.pending.delete(/** @type {number} */ (message.request));
      if (message.type === "error") pending.reject(new Error(message.text));
      else pending.resolve(message);
      return;
    }
    this.dispatch(message);
  }

  /** @param {Message} message */
  dispatch(message) {
    for (const listener of this.listeners.get(message.type) ?? []) listener(message);
  }

  /**
   * Sends a message if the connection is open. Returns the number that its responses carry, 0 if it was not sent.
   * @param {string} name
   * @param {Record<string, any>} [fields]
   */
  send(name, fields = {}) {
    if (this.socket === null || this.socket.readyState !== WebSocket.OPEN) return 0;
    this.lastNumber += 1;
    this.socket.send(JSON.stringify({ type: name, request: this.lastNumber, ...fields }));
    return this.lastNumber;
  }

  /**
   * Sends a message that has exactly one response. The promise is rejected with the server's error message.
   * @param {string} name
   * @param {Record<string, any>} [fields]
   * @returns {Promise<Message>}
   */
  request(name, fields = {}) {
    return new Promise((resolve, reject) => {
      const number = this.send(name, fields);
      if (number) this.pending.set(number, { resolve, reject });
      else reject(new Error("There is no connection to the server."));
    });
  }
}
