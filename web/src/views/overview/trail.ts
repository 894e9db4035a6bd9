// The way from the whole trace to a window, in steps that each hold the next.

import { holds, spanOf, type Window } from '../../lib/window';

/** More steps would not fit into a line. */
const MOST = 5;
/** A window that is not clearly narrower is no step of its own. */
const NARROWER = 0.75;

/** The windows to come back to: those that still hold what is seen, and what is seen if it is clearly narrower. */
export function anchorsAfter(
  anchors: readonly Window[],
  window: Window,
  whole: Window,
): readonly Window[] {
  if (window.from <= whole.from && window.to >= whole.to) return [];
  const around = anchors.filter((anchor) => holds(anchor, window));
  const last = around.at(-1);
  return last !== undefined && !isNarrower(window, last) ? around : [...around, window];
}

export function wayTo(anchors: readonly Window[], window: Window): readonly Window[] {
  return [...anchors.filter((anchor) => isNarrower(window, anchor)), window].slice(-MOST);
}

function isNarrower(window: Window, other: Window): boolean {
  return spanOf(window) < spanOf(other) * NARROWER;
}
