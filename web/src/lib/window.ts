// Windows of time and how gestures change them.

export interface Window {
  readonly from: number;
  readonly to: number;
}

/** A window is never shorter than this many ticks: there is nothing to be seen between ticks. */
export const LEAST_SPAN = 10;

export function spanOf(window: Window): number {
  return window.to - window.from;
}

/** Moves and shortens a window so that it lies in a trace of this length, on whole ticks. */
export function within(window: Window, length: number): Window {
  const least = Math.min(LEAST_SPAN, length);
  const span = Math.round(Math.min(Math.max(spanOf(window), least), length));
  const from = Math.round(Math.min(Math.max(window.from, 0), length - span));
  return { from, to: from + span };
}

/** Moves a window by a share of its length. */
export function panned(window: Window, share: number, length: number): Window {
  const by = spanOf(window) * share;
  return within({ from: window.from + by, to: window.to + by }, length);
}

/**
 * Scales a window by a factor, below 1 to see more detail. The time at `share` of the window stays
 * where it is, as far as the trace reaches.
 */
export function zoomed(window: Window, factor: number, share: number, length: number): Window {
  const least = Math.min(LEAST_SPAN, length);
  const span = Math.min(Math.max(spanOf(window) * factor, least), length);
  const at = window.from + spanOf(window) * share;
  const from = at - span * share;
  return within({ from, to: from + span }, length);
}

/** The window of something with a margin on both sides, so that its borders can be seen. */
export function around(start: number, end: number, length: number): Window {
  const margin = Math.max((end - start) * 0.1, LEAST_SPAN / 2);
  return within({ from: start - margin, to: end + margin }, length);
}

export function holds(outer: Window, inner: Window): boolean {
  return outer.from <= inner.from && inner.to <= outer.to;
}

/** A fetched window is wider than what is seen by this share on each side. */
const PADDING = 0.5;
/** It begins and ends at multiples of about this share of what is seen. */
const ROUNDING = 0.25;

/**
 * The window to ask for so that small moves need no other: wider on both sides, and rounded to a
 * raster that depends on the zoom only, so that coming back asks the same question again.
 */
export function padded(window: Window, length: number): Window {
  const span = spanOf(window);
  const raster = 2 ** Math.max(Math.floor(Math.log2(span * ROUNDING)), 0);
  const from = Math.floor((window.from - span * PADDING) / raster) * raster;
  const to = Math.ceil((window.to + span * PADDING) / raster) * raster;
  return { from: Math.max(from, 0), to: Math.min(to, Math.max(length, 1)) };
}

/** Pixels to ask for, padded and rounded in the same way. */
export function paddedPixels(from: number, to: number, raster: number): [number, number] {
  const margin = (to - from) * PADDING;
  const lower = Math.max(Math.floor((from - margin) / raster) * raster, 0);
  return [lower, Math.ceil((to + margin) / raster) * raster];
}
