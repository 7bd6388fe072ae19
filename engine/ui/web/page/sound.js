/** Quiet, synthesized sounds for moves; off by default. */

import { loadSetting } from "./store.js";

/** @type {AudioContext|null} */
let context = null;

const SOUNDS = { move: [190, 0.07], capture: [120, 0.1], check: [320, 0.12], end: [240, 0.35] };

/** @param {keyof typeof SOUNDS} type */
export function playSound(type) {
  if (!loadSetting("sound", false)) return;
  context ??= new AudioContext();
  const [pitch, length] = SOUNDS[type];
  const now = context.currentTime;
  const tone = new OscillatorNode(context, { type: "triangle", frequency: pitch });
  const volume = new GainNode(context, { gain: 0.25 });
  volume.gain.exponentialRampToValueAtTime(0.001, now + length);
  tone.frequency.exponentialRampToValueAtTime(pitch / 2, now + length);
  tone.connect(volume).connect(context.destination);
  tone.start(now);
  tone.stop(now + length);
}

/** Plays the sound of a move. @param {string} san */
export function playMoveSound(san) {
  playSound(san.includes("#") ? "end" : san.includes("+") ? "check" : san.includes("x") ? "capture" : "move");
}
