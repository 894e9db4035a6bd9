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

/** A leg of the way of an arrow that is seen, cut at the window. */
export interface Leg {
  readonly from: readonly [number, number, number];
  readonly to: readonly [number, number, number];
  /** The way ends here, inside the window. */
  readonly ends: boolean;
}

/** The legs of an arrow from side to side of its nodes, over the places that it passes. */
export function legsOf({ nodes, arrows }: Solid, places: Places, arrow: number): readonly Leg[] {
  const { a, b, via, firstVia, za, zb } = arrows;
  const stops = [a[arrow], ...via.subarray(firstVia[arrow], firstVia[arrow + 1]), b[arrow]];
  return legsOver(nodes.radius, places, stops, za[arrow], zb[arrow]);
}

/** The legs of a way over some places, which is equally fast everywhere. */
export function legsOver(
  radius: Float32Array,
  { x, y }: Places,
  stops: readonly number[],
  za: number,
  zb: number,
): readonly Leg[] {
  const lengths = stops
    .slice(1)
    .map((to, leg) => Math.hypot(x[to] - x[stops[leg] ?? to], y[to] - y[stops[leg] ?? to]));
  const whole = lengths.reduce((sum, length) => sum + length, 0);
  const legs: Leg[] = [];
  let far = 0;
  for (const [leg, length] of lengths.entries()) {
    const [from, to] = [stops[leg] ?? 0, stops[leg + 1] ?? 0];
    const isLast = leg === lengths.length - 1;
    const begin = whole > 0 ? za + (far / whole) * (zb - za) : za;
    far += length;
    const end = isLast ? zb : whole > 0 ? za + (far / whole) * (zb - za) : za;
    const cut = cutLeg(
      [x[from], y[from], begin, leg === 0 ? radius[from] : 0],
      [x[to], y[to], end, isLast ? radius[to] : 0],
    );
    if (cut !== null) legs.push({ ...cut, ends: isLast && zb >= 0 && zb <= 1 });
  }
  return legs;
}

type End = readonly [x: number, y: number, z: number, margin: number];

/** From one place and time to another, without a margin at each end and what is outside the window. */
function cutLeg(
  [ax, ay, za, before]: End,
  [bx, by, zb, after]: End,
): Pick<Leg, 'from' | 'to'> | null {
  let [first, last] = [0, 1];
  if (za === zb) {
    if (za < 0 || za > 1) return null;
  } else {
    const [one, other] = [-za / (zb - za), (1 - za) / (zb - za)];
    first = Math.max(first, Math.min(one, other));
    last = Math.min(last, Math.max(one, other));
  }
  const [x, y] = [bx - ax, by - ay];
  const reach = Math.max(Math.abs(x), Math.abs(y));
  if (reach > 0) {
    first = Math.max(first, Math.min(before / reach, 0.49));
    last = Math.min(last, 1 - Math.min(after / reach, 0.49));
  }
  if (first >= last) return null;
  const at = (share: number) => [ax + share * x, ay + share * y, za + share * (zb - za)] as const;
  return { from: at(first), to: at(last) };
}
