// What gestures mean in a picture whose width is a window of time: the timeline, and scenes over time.

import { type Window, within, zoomed } from '../../lib/window';
import type { Viewpoint } from '../../state/viewpoint';
import { pinched } from './gestures';
import type { Drag, Fingers, Pointing } from './pointer';

export interface OverTime {
  readonly pane: Viewpoint;
  readonly width: number;
  /** A window that is being selected right now. */
  draft: Window | null;
  timeAt(x: number): number;
}

export function panBy({ pane, width }: OverTime, pixels: number): void {
  const { from, to } = pane.window;
  const by = (pixels / width) * (to - from);
  pane.setWindow(within({ from: from + by, to: to + by }, pane.session.whole.to), 'gesture');
}

/** The time at a place of the picture stays there. */
export function zoomAt({ pane, width }: OverTime, factor: number, x: number): void {
  pane.setWindow(zoomed(pane.window, factor, x / width, pane.session.whole.to), 'gesture');
}

export function pinchTime({ pane, width }: OverTime, before: Fingers, after: Fingers): void {
  pane.setWindow(pinched(pane.window, width, before, after, pane.session.whole.to), 'gesture');
}

/** With Shift a window is selected, with Alt it is zoomed to; `null` for a plain drag. */
export function rangeDrag(stage: OverTime, press: Pointing): Drag | null {
  return press.shift || press.alt ? selectRange(stage, press, press.alt && !press.shift) : null;
}

export function selectRange(stage: OverTime, press: Pointing, isToZoom = false): Drag {
  const begin = stage.timeAt(press.at.x);
  const { pane } = stage;
  return {
    move({ x }) {
      const [first, last] = [begin, stage.timeAt(x)].sort((a, b) => a - b);
      const from = Math.min(Math.max(Math.round(first), 0), pane.session.whole.to - 1);
      const to = Math.min(Math.max(Math.round(last), from + 1), pane.session.whole.to);
      stage.draft = { from, to };
    },
    end() {
      const { draft } = stage;
      stage.draft = null;
      if (draft === null) return;
      if (isToZoom) pane.zoomTo(draft.from, draft.to);
      else pane.select({ range: draft });
    },
    cancel() {
      stage.draft = null;
    },
  };
}
