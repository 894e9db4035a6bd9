// Rows of rectangles. Where there are very many, a row is one quad whose pixels look their
// rectangle up by bisection: vertices then grow with the rows, not with the rectangles.

import type { RectLayer } from '../api/scene';

/** Neighbours in a layer that lie beside each other in one row. */
export interface Band {
  readonly first: number;
  /** One after the last. */
  readonly end: number;
  /** Its right side. */
  readonly x1: number;
}

/** Fewer rectangles are quicker as quads of their own. */
const LEAST_FOR_BANDS = 12_000;
/** A band of fewer rectangles is not worth the search. */
const LEAST_IN_A_BAND = 4;

/** Are the rectangles of a layer better drawn row by row? */
export function hasBands(layer: RectLayer): boolean {
  return layer.n >= LEAST_FOR_BANDS && layer.n >= bandsOf(layer).length * LEAST_IN_A_BAND;
}

/** All rectangles of a layer, in their order, as rows from left to right without overlaps. */
export function bandsOf({ n, x0, y0, x1, y1 }: RectLayer): Band[] {
  const bands: Band[] = [];
  let first = 0;
  for (let mark = 1; mark <= n; mark += 1) {
    const last = mark - 1;
    const goesOn =
      mark < n && y0[mark] === y0[first] && y1[mark] === y1[first] && x0[mark] >= x1[last];
    if (goesOn) continue;
    bands.push({ first, end: mark, x1: x1[last] });
    first = mark;
  }
  return bands;
}
