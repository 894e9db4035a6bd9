// What gestures mean in a picture whose width is a window of time: the timeline, and scenes over time.

import { type Window, within, zoomed } from '../../lib/window';
import type { TimeAxis, Viewpoint } from '../../state/viewpoint';
import { pinched } from './gestures';
import type { Drag, Fingers, Pointing } from './pointer';

export interface OverTime {
  readonly pane: Pick<Viewpoint, 'select'>;
  readonly axis: TimeAxis;
  readonly width: number;
  /** A window that is being selected right now. */
  draft: Window | null;
  timeAt(x: number): number;
}

export function panBy({ axis, width }: OverTime, pixels: number): void {
  const { from, to } = axis.window;
  const by = (pixels / width) * (to - from);
  axis.setWindow(within({ from: from + by, to: to + by }, axis.length), 'gesture');
}

/** The time at a place of the picture stays there. */
export function zoomAt({ axis, width }: OverTime, factor: number, x: number): void {
  axis.setWindow(zoomed(axis.window, factor, x / width, axis.length), 'gesture');
}

export function pinchTime({ axis, width }: OverTime, before: Fingers, after: Fingers): void {
  axis.setWindow(pinched(axis.window, width, before, after, axis.length), 'gesture');
}

/** With Shift a window is selected, with Alt it is zoomed to; `null` for a plain drag. */
export function rangeDrag(stage: OverTime, press: Pointing): Drag | null {
  return press.shift || press.alt ? selectRange(stage, press, press.alt && !press.shift) : null;
}

export function selectRange(stage: OverTime, press: Pointing, isToZoom = false): Drag {
  const begin = stage.timeAt(press.at.x);
  const { pane, axis } = stage;
  return {
    move({ x }) {
      const [first, last] = [begin, stage.timeAt(x)].sort((a, b) => a - b);
      const from = Math.min(Math.max(Math.round(first), 0), axis.length - 1);
      const to = Math.min(Math.max(Math.round(last), from + 1), axis.length);
      stage.draft = { from, to };
    },
    end() {
      const { draft } = stage;
      stage.draft = null;
      if (draft === null) return;
      if (isToZoom) axis.setWindow(draft, 'jump');
      else pane.select({ range: draft });
    },
    cancel() {
      stage.draft = null;
    },
  };
}
