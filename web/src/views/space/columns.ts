// The boxes of each node as one column: enough to tell what they hide.

import type { Solid } from '../../api/solid';
import type { Point } from '../../lib/geometry';
import type { Place, View } from './camera';
import type { TimeShift } from './hit';
import type { Places } from './places';

export interface Column {
  readonly node: number;
  radius: number;
  low: number;
  high: number;
}

/** The columns of all nodes that have boxes; heights as shares of the time of the answer. */
export function columnsOf({ boxes, nodes }: Solid): readonly Column[] {
  const columns = new Map<number, Column>();
  for (let box = 0; box < boxes.n; box += 1) {
    const node = boxes.node[box];
    const radius = nodes.radius[node] * boxes.radius[box];
    const column = columns.get(node);
    if (column === undefined) {
      columns.set(node, { node, radius, low: boxes.z0[box], high: boxes.z1[box] });
      continue;
    }
    column.radius = Math.max(column.radius, radius);
    column.low = Math.min(column.low, boxes.z0[box]);
    column.high = Math.max(column.high, boxes.z1[box]);
  }
  return [...columns.values()];
}

/** Tells whether a column stands between a place of the base and the eye. */
export type HiddenTest = (foot: Point) => boolean;

/** The width of the stripes of the page in which columns are looked for, in pixels. */
const STRIPE_PX = 16;

/**
 * Where columns hide the base. Only columns that reach into the stripe of a place are looked at; the
 * answer is that of looking at all.
 */
export function hiddenTest(
  columns: readonly Column[],
  places: Places,
  view: View,
  time: TimeShift,
): HiddenTest {
  const stripes = new Map<number, Column[]>();
  const stripeAt = (x: number) => Math.floor(x / STRIPE_PX);
  // The width of a square of the base on the page, in half widths of its own.
  const reach = (Math.abs(view.right.x) + Math.abs(view.right.y)) * view.scale;
  for (const column of columns) {
    const { node, radius } = column;
    const { x } = view.project({ x: places.x[node], y: places.y[node], z: 0 });
    const last = stripeAt(Math.min(x + radius * reach, view.size.width));
    for (let at = stripeAt(Math.max(x - radius * reach, 0)); at <= last; at += 1) {
      const stripe = stripes.get(at);
      if (stripe === undefined) stripes.set(at, [column]);
      else stripe.push(column);
    }
  }
  return (foot) => {
    const place = { ...foot, z: 0 };
    const near = stripes.get(stripeAt(view.project(place).x)) ?? [];
    return near.some((column) => hides(column, places, view, time, place));
  };
}

/** Does a column stand between a place and the eye? */
export function hides(
  { node, radius, low, high }: Column,
  places: Places,
  view: View,
  time: TimeShift,
  at: Place,
): boolean {
  const toward = { x: -view.away.x * view.cosine, y: -view.away.y * view.cosine, z: view.sine };
  const heightOf = (z: number) => (z * time.scale + time.shift) * view.height;
  let [first, last] = [1e-6, Number.POSITIVE_INFINITY];
  const narrow = (from: number, step: number, least: number, most: number) => {
    if (Math.abs(step) < 1e-9) {
      if (from < least || from > most) last = -1;
      return;
    }
    const [one, other] = [(least - from) / step, (most - from) / step];
    first = Math.max(first, Math.min(one, other));
    last = Math.min(last, Math.max(one, other));
  };
  narrow(at.x, toward.x, places.x[node] - radius, places.x[node] + radius);
  if (first > last) return false;
  narrow(at.y, toward.y, places.y[node] - radius, places.y[node] + radius);
  if (first > last) return false;
  narrow(at.z, toward.z, Math.max(heightOf(low), 0), Math.min(heightOf(high), view.height));
  return first <= last;
}
