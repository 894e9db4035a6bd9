// What questions and answers are made of.

import type { Lens } from '../lens';

/** Ticks after the begin of the trace; half open. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** A whole number that may be too large for a script; such a one arrives as a text. */
export type Exact = number | string;

export interface UnitInfo {
  readonly name: string;
  readonly assumed: boolean;
  readonly ticks_per_unit: Exact;
}

export type Nature = 'container' | 'state' | 'event' | 'variable' | 'link';

export type ColorFrom = 'lens' | 'remembered' | 'trace' | 'role' | 'palette';

export interface Question {
  readonly window?: TimeWindow;
  readonly lens?: Lens;
}
