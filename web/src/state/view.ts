// Views as values: the first one of a trace, and how they follow from each other.

import type { Lens } from '../api/types';
import { spanOf } from '../lib/window';
import { USUAL_PANELS } from './address';
import { USUAL_ARRANGEMENT } from './arrangement';
import { CLEAR_LENS } from './lens';
import { NOTHING_SELECTED, ROW_HEIGHT, type View, type Window } from './types';

export const NO_VIEW: View = {
  trace: '',
  window: null,
  lens: CLEAR_LENS,
  selection: NOTHING_SELECTED,
  depth: null,
  open: [],
  closed: [],
  pins: [],
  rowHeight: ROW_HEIGHT.usual,
  scrollY: 0,
  links: 'selection',
  causes: [],
  stateDepths: null,
  overlay: false,
  panels: USUAL_PANELS,
  workspace: USUAL_ARRANGEMENT,
  beside: '',
  marks: [],
};

/** The same window if something lies in it; else one moved to it, and widened if need be. */
export function windowAround(start: number, end: number, window: Window): Window {
  if (start >= window.from && end <= window.to) return window;
  const length = spanOf(window);
  const wanted = Math.max(length, (end - start) * 1.5);
  const middle = (start + end) / 2;
  return { from: middle - wanted / 2, to: middle + wanted / 2 };
}

/** Do both lenses number the rows in the same way? */
export function sameRows(a: Lens, b: Lens): boolean {
  const shape = (lens: Lens) =>
    JSON.stringify([
      lens.select?.containers,
      lens.hierarchy,
      lens.group,
      lens.order,
      lens.reuse_rows,
    ]);
  return shape(a) === shape(b);
}
