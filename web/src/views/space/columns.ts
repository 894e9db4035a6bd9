// The boxes of each node as one column: enough to tell what they hide.

import type { Solid } from '../../api/solid';
import type { Place, View } from './camera';
import type { TimeShift } from './hit';
import type { Places } from './places';

interface Column {
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

/** Does a column stand between a place and the eye? */
export function isHidden(
  columns: readonly Column[],
  places: Places,
  view: View,
  time: TimeShift,
  at: Place,
): boolean {
  const toward = { x: -view.away.x * view.cosine, y: -view.away.y * view.cosine, z: view.sine };
  const heightOf = (z: number) => (z * time.scale + time.shift) * view.height;
  return columns.some(({ node, radius, low, high }) => {
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
  });
}
