// Where the nodes of a base are: where the layout put them, or where somebody moved them. What
// stands on a node moves with it.

import { titleOf } from '../../api/scene';
import { NONE, type Solid } from '../../api/solid';
import type { Point } from '../../lib/geometry';
import { clamp } from '../../lib/number';
import type { Pin } from '../../state/space';

export interface Places {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** Names a node so that it is found again in the next answer: by its path, or its name in a network. */
export function keyOf(solid: Solid, place: number): string {
  const { nodes, texts } = solid;
  const name = texts[nodes.text[place]] ?? '';
  return nodes.node[place] === NONE ? `:${name}` : (titleOf(solid, nodes, place) ?? name);
}

/** Pins hold for later answers too. */
export function placesOf(solid: Solid, pins: readonly Pin[]): Places {
  const { nodes } = solid;
  if (pins.length === 0) return { x: nodes.x, y: nodes.y };
  const pinned = new Map<string, Point>(pins.map(([key, x, y]) => [key, { x, y }]));
  const [x, y] = [nodes.x.slice(), nodes.y.slice()];
  const known = new Array<Point | undefined>(nodes.n);
  /** How far a node is from where the layout put it. */
  const shiftOf = (place: number, steps: number): Point => {
    const own = pinned.get(keyOf(solid, place));
    if (own !== undefined) return { x: own.x - nodes.x[place], y: own.y - nodes.y[place] };
    const on = nodes.on[place];
    // Nodes that stand on each other in a circle would never end.
    if (on === NONE || steps > nodes.n) return { x: 0, y: 0 };
    known[on] ??= shiftOf(on, steps + 1);
    return known[on];
  };
  for (let place = 0; place < nodes.n; place += 1) {
    const shift = shiftOf(place, 0);
    x[place] += shift.x;
    y[place] += shift.y;
  }
  return { x, y };
}

/** The places of nodes with these numbers of the hierarchy. */
export function placesWithNumbers({ nodes }: Solid, numbers: readonly number[]): number[] {
  const wanted = new Set(numbers);
  const found: number[] = [];
  if (wanted.size === 0) return found;
  for (let place = 0; place < nodes.n; place += 1) {
    if (nodes.node[place] !== NONE && wanted.has(nodes.node[place])) found.push(place);
  }
  return found;
}

/** All pins, with some nodes moved by the same way; nothing leaves the base. */
export function movedBy(
  pins: readonly Pin[],
  solid: Solid,
  begin: Places,
  moved: readonly number[],
  way: Point,
): readonly Pin[] {
  const next = new Map(pins.map((pin) => [pin[0], pin]));
  for (const place of moved) {
    const key = keyOf(solid, place);
    const [x, y] = [begin.x[place] + way.x, begin.y[place] + way.y];
    next.set(key, [key, clamp(x, -1, 1), clamp(y, -1, 1)]);
  }
  return [...next.values()];
}

/** The way of an arrow that is seen: from side to side of its nodes, cut at the window. */
export interface Way {
  readonly from: readonly [number, number, number];
  readonly to: readonly [number, number, number];
  /** It ends inside the window. */
  readonly ends: boolean;
}

export function wayOf({ nodes, arrows }: Solid, places: Places, arrow: number): Way | null {
  const [a, b] = [arrows.a[arrow], arrows.b[arrow]];
  const [za, zb] = [arrows.za[arrow], arrows.zb[arrow]];
  let [first, last] = [0, 1];
  if (za === zb) {
    if (za < 0 || za > 1) return null;
  } else {
    const [one, other] = [-za / (zb - za), (1 - za) / (zb - za)];
    first = Math.max(first, Math.min(one, other));
    last = Math.min(last, Math.max(one, other));
  }
  const [x, y] = [places.x[b] - places.x[a], places.y[b] - places.y[a]];
  const reach = Math.max(Math.abs(x), Math.abs(y));
  if (reach > 0) {
    first = Math.max(first, Math.min(nodes.radius[a] / reach, 0.49));
    last = Math.min(last, 1 - Math.min(nodes.radius[b] / reach, 0.49));
  }
  if (first >= last) return null;
  const at = (share: number) =>
    [places.x[a] + share * x, places.y[a] + share * y, za + share * (zb - za)] as const;
  return { from: at(first), to: at(last), ends: zb >= 0 && zb <= 1 };
}
