// What is under the pointer in a scene in space. Boxes, arrows and events hide each other; what
// lies on the base is found where none of them is.

import { type Marked, pickOf, titleOf } from '../../api/scene';
import { BASE_KIND, type Bands, type Solid } from '../../api/solid';
import type { Point } from '../../lib/geometry';
import type { Place, View } from './camera';
import { MARK_BESIDE } from './geometry';
import { legsOf, type Places } from './places';

export type SpaceKind = 'boxes' | 'arrows' | 'marks' | 'nodes' | 'edges' | 'cables' | 'cells';

export interface SpaceHit {
  readonly kind: SpaceKind;
  readonly mark: number;
  /** The base node of a box, an event, or the node itself. */
  readonly node: number | null;
  /** As the server takes it; `0` stands for nothing. */
  readonly pick: string;
  readonly title: string | null;
  readonly color: number | null;
  /** The share of the time axis, if the mark has a time. */
  readonly z: number | null;
}

/** What a hit test looks through. */
export interface PlacedSolid {
  readonly solid: Solid;
  readonly places: Places;
  readonly view: View;
  /** From the time of the answer to the time that is seen: `z * scale + shift`. */
  readonly time: TimeShift;
  readonly showsEdges: boolean;
}

export interface TimeShift {
  readonly scale: number;
  readonly shift: number;
}

/** The pointer may miss thin marks by this many pixels. */
const TOLERANCE = 4;

interface Found {
  readonly kind: SpaceKind;
  readonly mark: number;
  readonly near: number;
  readonly z: number;
}

export function hitAt(stage: PlacedSolid, at: Point): SpaceHit | null {
  const candidates = [boxAt(stage, at), arrowAt(stage, at), markAt(stage, at)];
  let best: Found | null = null;
  for (const found of candidates) {
    if (found !== null && (best === null || found.near > best.near)) best = found;
  }
  if (best !== null) return hitOf(stage, best.kind, best.mark, best.z);
  const base = stage.view.baseAt(at);
  return base === null ? null : baseHit(stage, base);
}

export function hitOf(
  stage: PlacedSolid,
  kind: SpaceKind,
  mark: number,
  z: number | null,
): SpaceHit {
  const { solid } = stage;
  const layer: Marked = solid[kind];
  return {
    kind,
    mark,
    node: nodeOf(solid, kind, mark),
    pick: pickOf(layer, mark) ?? '0',
    title: titleOf(solid, layer, mark),
    color: kind === 'boxes' ? solid.boxes.color[mark] : null,
    z,
  };
}

function nodeOf(solid: Solid, kind: SpaceKind, mark: number): number | null {
  if (kind === 'nodes') return mark;
  if (kind === 'boxes') return solid.boxes.node[mark];
  return kind === 'marks' ? solid.marks.node[mark] : null;
}

/** Heights that are seen, from shares of the time of the answer. */
function heightOf({ time, view }: PlacedSolid, z: number): number {
  return (z * time.scale + time.shift) * view.height;
}

function isSeen({ view }: PlacedSolid, z: number): boolean {
  return z >= 0 && z <= view.height;
}

/** The nearest box on the way from a point to the eye. */
function boxAt(stage: PlacedSolid, at: Point): Found | null {
  const { solid, places, view } = stage;
  const { boxes, nodes } = solid;
  const { from, toward } = view.rayAt(at);
  let best: Found | null = null;
  for (let box = 0; box < boxes.n; box += 1) {
    const node = boxes.node[box];
    const radius = nodes.radius[node] * boxes.radius[box];
    const across = slab(from.x, toward.x, places.x[node] - radius, places.x[node] + radius);
    if (across === null) continue;
    const deep = slab(from.y, toward.y, places.y[node] - radius, places.y[node] + radius);
    if (deep === null) continue;
    const [low, high] = [heightOf(stage, boxes.z0[box]), heightOf(stage, boxes.z1[box])];
    const up = slab(from.z, toward.z, Math.max(low, 0), Math.min(high, view.height));
    if (up === null || low > high) continue;
    const far = Math.max(across[0], deep[0], up[0]);
    const near = Math.min(across[1], deep[1], up[1]);
    if (far > near || (best !== null && near <= best.near)) continue;
    const height = from.z + near * toward.z;
    best = { kind: 'boxes', mark: box, near, z: height / view.height };
  }
  return best;
}

/** Where a way is between two bounds: from and to, along the way. */
function slab(at: number, step: number, low: number, high: number): [number, number] | null {
  if (Math.abs(step) < 1e-9) return at >= low && at <= high ? [-Infinity, Infinity] : null;
  const [one, other] = [(low - at) / step, (high - at) / step];
  return one < other ? [one, other] : [other, one];
}

/** How far along its way to the eye a place is; the same measure as of boxes. */
function nearnessOf({ view }: PlacedSolid, at: Point, place: Place): number {
  return view.nearness(place) - view.nearness(view.rayAt(at).from);
}

function arrowAt(stage: PlacedSolid, at: Point): Found | null {
  const { solid, places, view } = stage;
  const place = ([x, y, z]: readonly [number, number, number]) => ({
    x,
    y,
    z: heightOf(stage, z),
  });
  let best: (Found & { missed: number }) | null = null;
  for (let arrow = 0; arrow < solid.arrows.n; arrow += 1) {
    for (const leg of legsOf(solid, places, arrow)) {
      const [from, to] = [place(leg.from), place(leg.to)];
      const { distance, share } = distanceTo(at, view.project(from), view.project(to));
      const missed = Math.max(distance - solid.arrows.width[arrow] / 2, 0);
      if (missed > TOLERANCE || (best !== null && missed >= best.missed)) continue;
      const here = {
        x: from.x + share * (to.x - from.x),
        y: from.y + share * (to.y - from.y),
        z: from.z + share * (to.z - from.z),
      };
      if (!isSeen(stage, here.z)) continue;
      const near = nearnessOf(stage, at, here);
      best = { kind: 'arrows', mark: arrow, near, z: here.z / view.height, missed };
    }
  }
  return best;
}

function markAt(stage: PlacedSolid, at: Point): Found | null {
  const { solid, places, view } = stage;
  const { marks, nodes } = solid;
  let best: Found | null = null;
  for (let mark = 0; mark < marks.n; mark += 1) {
    const node = marks.node[mark];
    const x = places.x[node] + nodes.radius[node] * MARK_BESIDE;
    const place = { x, y: places.y[node], z: heightOf(stage, marks.z[mark]) };
    const seen = view.project(place);
    const isUnder = Math.max(Math.abs(seen.x - at.x), Math.abs(seen.y - at.y)) <= TOLERANCE;
    if (!isUnder || !isSeen(stage, place.z)) continue;
    const near = nearnessOf(stage, at, place);
    if (best === null || near > best.near) {
      best = { kind: 'marks', mark, near, z: place.z / view.height };
    }
  }
  return best;
}

/** The distance of a point from a line, and where on the line it is nearest. */
function distanceTo(at: Point, a: Point, b: Point): { distance: number; share: number } {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((at.x - a.x) * dx + (at.y - a.y) * dy) / length;
  const share = Math.min(Math.max(along, 0), 1);
  return { distance: Math.hypot(at.x - a.x - share * dx, at.y - a.y - share * dy), share };
}

function baseHit(stage: PlacedSolid, at: Point): SpaceHit | null {
  const { solid, places } = stage;
  const node = nodeAt(stage, at);
  if (node !== null) return hitOf(stage, 'nodes', node, null);
  const slack = TOLERANCE / stage.view.scale;
  const edge = stage.showsEdges ? bandAt(solid.edges, places, at, slack) : null;
  if (edge !== null) return hitOf(stage, 'edges', edge, null);
  const cable = bandAt(solid.cables, places, at, slack);
  if (cable !== null) return hitOf(stage, 'cables', cable, null);
  const { cells } = solid;
  // Cells come before those inside them.
  for (let cell = cells.n - 1; cell >= 0; cell -= 1) {
    const isIn = at.x >= cells.x0[cell] && at.x <= cells.x1[cell];
    if (isIn && at.y >= cells.y0[cell] && at.y <= cells.y1[cell]) {
      return hitOf(stage, 'cells', cell, null);
    }
  }
  return null;
}

/** The smallest node at a place of the base: a large one may carry small ones. */
function nodeAt({ solid, places }: PlacedSolid, at: Point): number | null {
  const { nodes } = solid;
  let best: number | null = null;
  for (let node = 0; node < nodes.n; node += 1) {
    const kind = nodes.baseKind[node];
    // A group is behind what lies on it.
    if (kind === BASE_KIND.group) continue;
    const radius = nodes.radius[node];
    const [dx, dy] = [Math.abs(at.x - places.x[node]), Math.abs(at.y - places.y[node])];
    if (dx > radius || dy > radius) continue;
    if (best === null || radius < nodes.radius[best]) best = node;
  }
  return best;
}

function bandAt(bands: Bands, { x, y }: Places, at: Point, slack: number): number | null {
  let best: number | null = null;
  let least = Infinity;
  for (let band = 0; band < bands.n; band += 1) {
    const [a, b] = [bands.a[band], bands.b[band]];
    const { distance } = distanceTo(at, { x: x[a], y: y[a] }, { x: x[b], y: y[b] });
    const missed = Math.max(distance - bands.width[band] / 2, 0);
    if (missed > slack || missed >= least) continue;
    [best, least] = [band, missed];
  }
  return best;
}
