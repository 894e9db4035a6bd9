// Parts of histograms that are marked: whole columns, whose numbers are known exactly.

import type { Bounds } from '../../api/scene';
import type { HistogramPlot } from '../../api/types';
import type { Point } from '../../lib/geometry';
import { clamp } from '../../lib/number';
import type { Window } from '../../lib/window';

/** Zeros have a column this many columns before the others, and a half that is empty after it. */
const ZEROS = 1.5;
const AFTER_ZEROS = 0.5;

const nColumns = ({ edges }: HistogramPlot) => Math.max(edges.length - 1, 1);
const pitchOf = (plot: HistogramPlot) => (plot.bounds.x1 - plot.bounds.x0) / nColumns(plot);

/** A histogram with the place of its zeros. */
export function wholeOf(plot: HistogramPlot): Bounds {
  return { ...plot.bounds, x0: plot.bounds.x0 - ZEROS * pitchOf(plot) };
}

export function plotAt(plots: readonly HistogramPlot[], { x, y }: Point): HistogramPlot | null {
  const isIn = ({ x0, y0, x1, y1 }: Bounds) => x0 <= x && x <= x1 && y0 <= y && y <= y1;
  return plots.find((plot) => isIn(wholeOf(plot))) ?? null;
}

/** The numbers of the columns that a part touches; half open. */
export function numbersIn(plot: HistogramPlot, { x0: from, x1: to }: Bounds): Window {
  const { bounds, edges } = plot;
  const column = (x: number) => (x - bounds.x0) / pitchOf(plot);
  const n = nColumns(plot);
  const first = clamp(Math.floor(column(from)), 0, n - 1);
  const last = clamp(Math.ceil(column(to)), first + 1, n);
  const hasZeros = column(from) < -AFTER_ZEROS;
  if (column(to) <= -AFTER_ZEROS) return { from: 0, to: 1 };
  return { from: hasZeros ? 0 : (edges[first] ?? 0), to: edges[last] ?? 1 };
}

/** Where numbers are in a histogram. */
export function placeOf(plot: HistogramPlot, { from, to }: Window): Bounds {
  const { bounds, edges } = plot;
  const at = (number: number) => {
    const column = edges.findIndex((edge) => edge >= number);
    return bounds.x0 + (column < 0 ? nColumns(plot) : column) * pitchOf(plot);
  };
  const whole = wholeOf(plot);
  const left = from <= 0 ? whole.x0 : at(from);
  const right = to <= 1 && from <= 0 ? whole.x0 + pitchOf(plot) : at(to);
  return { ...bounds, x0: left, x1: right };
}
