// From where the trace is seen: by all views together, or by one locked pane alone. What is done with
// rows and values is done there.

import type { Lens } from '../api/types';
import type { Window } from '../lib/window';
import type { Notices } from './notices.svelte';
import type { TraceSession } from './trace_session.svelte';
import type { Selection } from './types';

/** What goes from left to right in a picture, and which part of it is seen. */
export interface TimeAxis {
  readonly window: Window;
  /** All of it begins at 0. */
  readonly length: number;
  /** A gesture becomes one step of undo when it rests, a jump at once. */
  setWindow(window: Window, how: 'gesture' | 'jump'): void;
  fit(): void;
}

export interface Viewpoint extends TimeAxis {
  readonly session: TraceSession;
  readonly notices: Notices;
  readonly lens: Lens;
  readonly selection: Selection;
  zoomTo(from: number, to: number): void;
  /** Takes a lens if it makes sense for the trace; else says why not. */
  setLens(lens: Lens): Promise<boolean>;
  select(part: Partial<Selection>): void;
  selectNothing(): void;
}
