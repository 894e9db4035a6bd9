// The rows of a timeline beside the picture.

import type { GraphScale, TimelineRow } from '../../api/types';

/** A name needs this much height, in pixels. */
export const NAME_HEIGHT = 14;

/** A row and where the middle of its name is. */
export interface NamedRow {
  readonly row: TimelineRow;
  readonly middle: number;
}

/**
 * The rows whose names can be written without touching. Where rows are thin, those near the root
 * come first: they tell where one is. The first child of an open row comes before its siblings, and stands below the name of its
 * parent if that is in its place: in an order by size it is the answer. Names reach at most down to `height`, if it is given. The
 * row that is pointed at always has its name; what that touches goes.
 */
export function rowsWithNames(
  rows: readonly TimelineRow[],
  height = Infinity,
  pointed: TimelineRow | null = null,
): NamedRow[] {
  const within = (middle: number) =>
    Math.min(Math.max(middle, NAME_HEIGHT / 2), height - NAME_HEIGHT / 2);
  const middleOf = (row: TimelineRow) => within((row.y0 + row.y1) / 2);
  const isFirst = (place: number) => {
    const above = rows[place - 1];
    return above?.state === 'open' && above.depth < rows[place].depth;
  };
  const importance = (place: number) =>
    rows[place] === pointed ? -1 : rows[place].depth * 2 + (isFirst(place) ? 0 : 1);
  const places = rows.map((_, place) => place);
  places.sort((a, b) => importance(a) - importance(b) || a - b);
  // Names are at least their height apart, so a cell of that height holds one middle at most.
  const middles = new Map<number, number>();
  const touched = (middle: number) => {
    const cell = Math.floor(middle / NAME_HEIGHT);
    return [cell - 1, cell, cell + 1]
      .map((near) => middles.get(near))
      .find((other) => other !== undefined && Math.abs(other - middle) < NAME_HEIGHT);
  };
  const kept: { readonly place: number; readonly middle: number }[] = [];
  for (const place of places) {
    const own = middleOf(rows[place]);
    const other = touched(own);
    const isMoved = other !== undefined && other <= own && isFirst(place);
    const middle = isMoved ? within(other + NAME_HEIGHT) : own;
    if (other !== undefined && (!isMoved || touched(middle) !== undefined)) continue;
    middles.set(Math.floor(middle / NAME_HEIGHT), middle);
    kept.push({ place, middle });
  }
  kept.sort((a, b) => a.place - b.place);
  return kept.map(({ place, middle }) => ({ row: rows[place], middle }));
}

/** The row at a height: of several, the deepest. */
export function rowAt(rows: readonly TimelineRow[], y: number): TimelineRow | null {
  let found: TimelineRow | null = null;
  for (const row of rows) {
    if (row.y0 <= y && y < row.y1 && (found === null || row.depth >= found.depth)) found = row;
  }
  return found;
}

/** The open groups around what is seen at this height that are scrolled out of sight. */
export function groupsAbove(rows: readonly TimelineRow[], scrollY: number): TimelineRow[] {
  const first = rows.find((row) => row.y1 > scrollY && row.state !== 'open');
  if (first === undefined || scrollY <= 0) return [];
  const isAround = (row: TimelineRow) => first.path.startsWith(`${row.path}/`);
  const isHidden = (row: TimelineRow) => row.y1 <= scrollY + NAME_HEIGHT / 2;
  return rows.filter((row) => row.state === 'open' && isHidden(row) && isAround(row));
}

/** The scales of the graphs in a row. */
export function scalesIn(scales: readonly GraphScale[], row: TimelineRow): GraphScale[] {
  return scales.filter(({ y0, y1 }) => y0 >= row.y0 && y1 <= row.y1);
}

/** A scale in words: what it is of, and from where to where it goes. */
export function scaleWords({ name, marks }: GraphScale): string {
  const [first, last] = [marks[0]?.text, marks.at(-1)?.text];
  if (first === undefined) return name;
  return marks.length > 1 ? `${name}: ${last} to ${first}` : `${name}: up to ${first}`;
}
