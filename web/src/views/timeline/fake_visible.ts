// What is seen of a trace, for tests.

import type { VisibleTimeline } from './question';

/** A hundredth of a trace, from the first row on, as high as the page is. */
export const VISIBLE: VisibleTimeline = {
  trace: 't',
  length: 1_000_000,
  window: { from: 400_000, to: 410_000 },
  width: 1000,
  height: 600,
  rowHeight: 'fit',
  scrollY: 0,
  lens: { version: 1 },
  depth: null,
  open: [],
  closed: [],
  only: [],
  links: 'none',
  causes: [],
  stateDepths: null,
  overlay: false,
  theme: 'light',
};
