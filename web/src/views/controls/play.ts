// A window that moves through a trace.

import { spanOf, type Window, within } from '../../lib/window';

/** Of a trace that is seen as a whole, so much is a frame. */
const FRAME_SHARE = 1 / 20;

/** The window to begin with: the one that is seen, if there is anywhere to move it. */
export function firstFrame(seen: Window, length: number): Window {
  if (spanOf(seen) < length) return seen;
  return within({ from: 0, to: length * FRAME_SHARE }, length);
}

/** Moved by a number of its own lengths; not beyond the ends. */
export function moved(window: Window, lengths: number, length: number): Window {
  const by = spanOf(window) * lengths;
  return within({ from: window.from + by, to: window.to + by }, length);
}

export function isAtEnd(window: Window, length: number): boolean {
  return window.to >= length;
}

/** The first of some instants, in order of time, that is not before another. */
export function firstFrom(instants: readonly number[], from: number): number | null {
  return instants.find((instant) => instant >= from) ?? null;
}

/** As long, and ending just after an instant: what happens then is the last thing that is seen. */
export function endingAfter(window: Window, instant: number, length: number): Window {
  const to = instant + 1;
  return within({ from: to - spanOf(window), to }, length);
}
