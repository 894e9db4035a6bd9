// Where the window of a trace that grows goes.

import { spanOf, type Window, within } from '../../lib/window';

/** Does a window show the whole trace, of this length? It then does so however long the trace gets. */
export function isWhole(window: Window, length: number): boolean {
  return window.from <= 0 && window.to >= length;
}

/** The window that is as wide and ends where the trace does; `null` if it does already. */
export function moved(window: Window, length: number): Window | null {
  const next = within({ from: length - spanOf(window), to: length }, length);
  return next.from === window.from && next.to === window.to ? null : next;
}

/** What the line of a live trace says. */
export function told(growth: {
  readonly late: number;
  readonly silent_seconds: number;
  readonly note: string;
}): readonly string[] {
  const { late, silent_seconds: silent, note } = growth;
  return [
    ...(silent > 0 ? [`the writer has been silent for ${silent} s`] : []),
    ...(late > 0 ? [`${late} came too late; the end puts them right`] : []),
    ...(note === '' ? [] : [note]),
  ];
}
