// What to ask the server for so that what is seen can be drawn, and whether an answer that is
// there already will do.

import type { Lens, LinksAsked, TimelineQuestion } from '../../api/types';
import { clamp } from '../../lib/number';
import { holds, padded, paddedPixels, spanOf, type Window } from '../../lib/window';
import { asksCauses, type CauseMark } from '../../state/causes';
import { asksForm, type RowForm } from '../../state/row_form';

export interface VisibleTimeline extends RowForm {
  readonly trace: string;
  /** Of the whole trace. */
  readonly length: number;
  readonly window: Window;
  /** Of the plot, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly rowHeight: 'fit' | number;
  readonly scrollY: number;
  readonly lens: Lens;
  readonly depth: number | null;
  readonly open: readonly number[];
  readonly closed: readonly number[];
  /** The nodes whose rows are shown; all if there are none. */
  readonly only: readonly number[];
  readonly links: LinksAsked;
  readonly causes: readonly CauseMark[];
  readonly theme: 'light' | 'dark';
}

export interface TimelineRequest {
  readonly trace: string;
  readonly question: TimelineQuestion & { readonly window: Window };
}

/** Scrolled rows are asked for in steps of this many pixels. */
const ROW_RASTER = 256;
/** More pixels than this are not asked for at once. */
const MOST_PIXELS = 16384;
/** Scales that differ by less look the same. */
const SAME_SCALE = 1.002;
/** A picture on its way is worth waiting for up to this change of scale. */
const NEAR_SCALE = 2;

/** The question whose answer shows what is seen, and something around it. */
export function requestFor(visible: VisibleTimeline): TimelineRequest {
  const window = padded(visible.window, visible.length);
  const pixels = (visible.width * spanOf(window)) / spanOf(visible.window);
  return {
    trace: visible.trace,
    question: {
      window,
      lens: visible.lens,
      width: wholePixels(pixels),
      rows: rowsFor(visible),
      depth: visible.depth,
      open: visible.open,
      closed: visible.closed,
      ...(visible.only.length > 0 && { only: visible.only }),
      groups: true,
      links: visible.links,
      ...asksCauses(visible.causes),
      ...asksForm(visible),
      theme: visible.theme,
    },
  };
}

function wholePixels(pixels: number): number {
  return clamp(Math.round(pixels), 1, MOST_PIXELS);
}

function rowsFor(visible: VisibleTimeline): TimelineQuestion['rows'] {
  if (visible.rowHeight === 'fit') return { fit: Math.max(Math.floor(visible.height), 1) };
  const [from, to] = paddedPixels(visible.scrollY, visible.scrollY + visible.height, ROW_RASTER);
  return { height: visible.rowHeight, from, to };
}

/** Does the answer to this question show all that is seen, as sharp as can be? */
export function serves(asked: TimelineRequest, visible: VisibleTimeline): boolean {
  return (
    isAlike(asked, visible) &&
    holds(asked.question.window, visible.window) &&
    scaleChange(asked, visible) < SAME_SCALE &&
    holdsRows(asked, visible)
  );
}

/** Is the answer to this question of use while the right one is not there yet? */
export function isNear(asked: TimelineRequest, visible: VisibleTimeline): boolean {
  const middle = (visible.window.from + visible.window.to) / 2;
  const { from, to } = asked.question.window;
  return (
    isAlike(asked, visible) &&
    from <= middle &&
    middle <= to &&
    scaleChange(asked, visible) < NEAR_SCALE
  );
}

/** Do both differ only in the part of the picture? */
function isAlike(asked: TimelineRequest, visible: VisibleTimeline): boolean {
  const wanted = requestFor(visible);
  return settingsOf(asked) === settingsOf(wanted);
}

function settingsOf({ trace, question }: TimelineRequest): string {
  const { window: _, width: __, rows, ...settings } = question;
  // The question of a scene that came with the page has its fields in another order.
  const inOrder = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([trace, 'fit' in rows ? rows : rows.height, inOrder]);
}

/** How many times finer or coarser the pixels of the answer are; 1 for the same. */
function scaleChange({ question }: TimelineRequest, visible: VisibleTimeline): number {
  const wanted = (visible.width * spanOf(question.window)) / spanOf(visible.window);
  // Whole pixels are asked for, and not more than there may be: nothing closer could be had.
  if (question.width === wholePixels(wanted) || question.width >= MOST_PIXELS) return 1;
  return Math.max(question.width / wanted, wanted / question.width);
}

function holdsRows({ question: { rows } }: TimelineRequest, visible: VisibleTimeline): boolean {
  return (
    'fit' in rows || (rows.from <= visible.scrollY && visible.scrollY + visible.height <= rows.to)
  );
}
