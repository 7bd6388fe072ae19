/** Quiet knocks for moves, made on the spot; off until they are switched on. */

import { recall } from "./store.js";

/** @type {AudioContext|null} */
let context = null;

const KNOCKS = { move: [190, 0.07], capture: [120, 0.1], check: [320, 0.12], end: [240, 0.35] };

/** @param {keyof typeof KNOCKS} kind */
export function knock(kind) {
  if (!recall("sound", false)) return;
  context ??= new AudioContext();
  const [pitch, length] = KNOCKS[kind];
  const now = context.currentTime;
  const tone = new OscillatorNode(context, { type: "triangle", frequency: pitch });
  const volume = new GainNode(context, { gain: 0.25 });
  volume.gain.exponentialRampToValueAtTime(0.001, now + length);
  tone.frequency.exponentialRampToValueAtTime(pitch / 2, now + length);
  tone.connect(volume).connect(context.destination);
  tone.start(now);
  tone.stop(now + length);
}

/** The knock that fits a move. @param {string} san */
export function knockFor(san) {
  knock(san.includes("#") ? "end" : san.includes("+") ? "check" : san.includes("x") ? "capture" : "move");
}
