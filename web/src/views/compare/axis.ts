// The axis of two runs, as gestures see it: what is seen of it is a part of the choice.

import type { Window } from '../../lib/window';
import { within } from '../../lib/window';
import type { How } from '../../state/history';
import type { TimeAxis } from '../../state/viewpoint';

export interface SeenAxis {
  /** In ticks; `null` as long as it is not known. */
  length(): number | null;
  part(): Window | null;
  setPart(part: Window | null, how: How): void;
}

export function axisOf(seen: SeenAxis): TimeAxis {
  return {
    get length() {
      return seen.length() ?? 1;
    },
    get window() {
      const part = seen.part();
      return part === null ? { from: 0, to: this.length } : within(part, this.length);
    },
    setWindow(window, how) {
      const next = within(window, this.length);
      seen.setPart(next.from === 0 && next.to === this.length ? null : next, how);
    },
    fit() {
      seen.setPart(null, 'jump');
    },
  };
}
