// Names and times over a scene in space. Names are at the feet of their nodes; the most important
// come first, and one that would touch another is left out.

import type { Bounds } from '../../api/scene';
import { BASE_KIND, NONE, type RulerTick, type Solid } from '../../api/solid';
import type { Point } from '../../lib/geometry';
import { FAMILY } from '../../paint/labels';
import type { CanvasColors } from '../stage/colors';
import type { View } from './camera';
import type { Places } from './places';
import { rulerCorner } from './room';

const SIZE = 11;
const MOST_NAMES = 60;
/** Of a kind with more members some are named: one in each part of the base, of so many a side. */
const MOST_OF_A_KIND = 40;
const SPREAD = 4;
/** More are not tried: of thousands of nodes most stand in the way of others. */
const MOST_TRIED = 250;
const MOST_WIDTH = 130;
/** A pill behind a name keeps it readable over what is drawn. */
const PILL_OPACITY = 0.72;
/** Seen so steeply, the time axis has no length to write times on. */
const LEAST_COSINE = 0.25;
const TICK_PX = 5;

export interface Named {
  readonly solid: Solid;
  readonly places: Places;
  readonly view: View;
  readonly colors: CanvasColors;
  /** Places of nodes whose names come first, in the colour of a selection. */
  readonly chosen: ReadonlySet<number>;
  /** Round times as they are seen. */
  readonly ruler: readonly RulerTick[];
  /** Is a place of the base hidden by boxes? */
  readonly isHidden: (foot: Point) => boolean;
}

export function drawLabels(context: CanvasRenderingContext2D, named: Named): void {
  const { width, height } = named.view.size;
  context.clearRect(0, 0, width, height);
  context.font = `400 ${SIZE}px ${FAMILY}`;
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  drawTimes(context, named);
  const taken: Bounds[] = [];
  drawNumbers(context, named, taken);
  drawCellNames(context, named, taken);
  drawNames(context, named, taken);
}

/** Round times along the left edge, and above them what they are. */
function drawTimes(context: CanvasRenderingContext2D, named: Named): void {
  const { solid, view, colors, ruler } = named;
  if (view.cosine < LEAST_COSINE) return;
  const corner = rulerCorner(view);
  context.textAlign = 'right';
  context.fillStyle = colors.text;
  context.strokeStyle = colors.axis;
  context.lineWidth = 1;
  const foot = view.project({ ...corner, z: 0 });
  const top = view.project({ ...corner, z: view.height });
  line(context, foot, top);
  let before = Number.POSITIVE_INFINITY;
  for (const { z, text } of ruler) {
    if (z < -1e-6 || z > 1 + 1e-6) continue;
    const at = view.project({ ...corner, z: z * view.height });
    line(context, at, { x: at.x - TICK_PX, y: at.y });
    // In a low picture times would lie on each other.
    if (before - at.y < SIZE + 1) continue;
    before = at.y;
    context.fillText(text, at.x - TICK_PX - 3, at.y);
  }
  context.fillStyle = colors.muted;
  context.textAlign = 'left';
  context.fillText(solid.rulerTitle, Math.max(top.x - 66, 8), Math.max(top.y - 14, SIZE));
}

function line(context: CanvasRenderingContext2D, from: Point, to: Point): void {
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
}

function drawNames(context: CanvasRenderingContext2D, named: Named, taken: Bounds[]): void {
  const { solid, places, view, colors, chosen } = named;
  const { nodes } = solid;
  const reach = Math.max(Math.abs(view.away.x), Math.abs(view.away.y));
  let n = 0;
  const parts = new Set<string>();
  const isMany = kindsWithMany(solid);
  const part = (at: number) => Math.floor(((at + 1) / 2) * SPREAD);
  for (const node of byImportance(solid, chosen).slice(0, MOST_TRIED)) {
    if (n >= MOST_NAMES) break;
    const isChosen = chosen.has(node);
    const kind = nodes.baseKind[node];
    const here = `${kind} ${part(places.x[node])} ${part(places.y[node])}`;
    // The outermost groups have the rank 0.
    const isSite = kind === BASE_KIND.group && nodes.rank[node] === 0;
    if (!isChosen && !isSite && isMany.has(kind) && parts.has(here)) continue;
    // Just in front of the node, outside its square.
    const step = (1.05 * nodes.radius[node]) / reach;
    const foot = { x: places.x[node] - view.away.x * step, y: places.y[node] - view.away.y * step };
    const at = view.project({ ...foot, z: 0 });
    const place = { x: at.x, y: at.y + SIZE };
    const [whole, short] = [nodes.text[node], nodes.short[node]].map((at) => solid.texts[at] ?? '');
    const fits = context.measureText(whole).width <= MOST_WIDTH;
    const text = fits ? whole : fitted(context, short);
    const box = boxAround(context, text, place);
    if (!isInside(box, view) || taken.some((other) => overlap(other, box))) continue;
    // A name over boxes would seem to be theirs.
    if (!isChosen && coversBoxes(named, box)) continue;
    taken.push(box);
    parts.add(here);
    drawPill(context, text, place, box, isChosen ? colors.accent : colors.text, colors);
    n += 1;
  }
}

/** Numbers in the middle of the few links of a network that matter. */
function drawNumbers(context: CanvasRenderingContext2D, named: Named, taken: Bounds[]): void {
  const { solid, places, view, colors } = named;
  for (const { a, b, text, edge } of solid.numbers) {
    const foot = { x: (places.x[a] + places.x[b]) / 2, y: (places.y[a] + places.y[b]) / 2 };
    const at = view.project({ ...foot, z: 0 });
    const box = boxAround(context, text, at);
    if (!isInside(box, view) || taken.some((other) => overlap(other, box))) continue;
    if (named.isHidden(foot)) continue;
    taken.push(box);
    drawPill(context, text, at, box, colors.text, colors);
    context.strokeStyle = edge;
    context.strokeRect(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0);
  }
}

/** The kinds of nodes of which there are too many to name them all. */
function kindsWithMany({ nodes }: Solid): ReadonlySet<number> {
  const counts = new Map<number, number>();
  for (const kind of nodes.baseKind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return new Set([...counts].filter(([, n]) => n > MOST_OF_A_KIND).map(([kind]) => kind));
}

/** Is there a box where a name would be? */
function coversBoxes({ view, isHidden }: Named, { x0, y0, x1, y1 }: Bounds): boolean {
  const y = (y0 + y1) / 2;
  return [0, 0.25, 0.5, 0.75, 1].some((share) => {
    const foot = view.baseAt({ x: x0 + share * (x1 - x0), y });
    return foot !== null && isHidden(foot);
  });
}

/** Groups, then switches, then machines, then what runs on them. */
const ORDER: ReadonlyMap<number, number> = new Map([
  [BASE_KIND.group, 0],
  [BASE_KIND.middle, 0],
  [BASE_KIND.switch, 1],
  [BASE_KIND.host, 2],
  [BASE_KIND.container, 3],
]);

/** Chosen ones first, then by kind and rank. */
function byImportance({ nodes }: Solid, chosen: ReadonlySet<number>): readonly number[] {
  const all = Array.from({ length: nodes.n }, (_, node) => node).filter(
    (node) => ORDER.has(nodes.baseKind[node]) && nodes.text[node] !== NONE,
  );
  const order = (node: number) => ORDER.get(nodes.baseKind[node]) ?? ORDER.size;
  return all.sort(
    (a, b) =>
      Number(chosen.has(b)) - Number(chosen.has(a)) ||
      order(a) - order(b) ||
      nodes.rank[a] - nodes.rank[b],
  );
}

/** Names of cells that hold others, in their near corner. */
function drawCellNames(context: CanvasRenderingContext2D, named: Named, taken: Bounds[]): void {
  const { solid, view, colors } = named;
  const { cells } = solid;
  const deepest = cells.depth.reduce((most, depth) => Math.max(most, depth), 0);
  for (let cell = 0; cell < cells.n; cell += 1) {
    const depth = cells.depth[cell];
    if (depth === 0 || depth > 2 || depth >= deepest) continue;
    const x = view.away.x > 0 ? cells.x0[cell] : cells.x1[cell];
    const y = view.away.y > 0 ? cells.y0[cell] : cells.y1[cell];
    const at = view.project({ x, y, z: 0 });
    const place = { x: at.x, y: at.y + SIZE * 0.8 };
    const text = fitted(context, solid.texts[cells.text[cell]] ?? '');
    const box = boxAround(context, text, place);
    if (!isInside(box, view) || taken.some((other) => overlap(other, box))) continue;
    if (coversBoxes(named, box)) continue;
    taken.push(box);
    drawPill(context, text, place, box, colors.muted, colors);
  }
}

function drawPill(
  context: CanvasRenderingContext2D,
  text: string,
  at: Point,
  box: Bounds,
  color: string,
  colors: CanvasColors,
): void {
  context.globalAlpha = PILL_OPACITY;
  context.fillStyle = colors.background;
  context.fillRect(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0);
  context.globalAlpha = 1;
  context.fillStyle = color;
  context.textAlign = 'center';
  context.fillText(text, at.x, at.y);
}

function fitted(context: CanvasRenderingContext2D, name: string): string {
  if (context.measureText(name).width <= MOST_WIDTH) return name;
  let length = name.length - 1;
  while (length > 1 && context.measureText(`${name.slice(0, length)}…`).width > MOST_WIDTH) {
    length -= 1;
  }
  return `${name.slice(0, length)}…`;
}

function boxAround(context: CanvasRenderingContext2D, text: string, at: Point): Bounds {
  const half = context.measureText(text).width / 2 + 2;
  return { x0: at.x - half, y0: at.y - 7.5, x1: at.x + half, y1: at.y + 7.5 };
}

function isInside({ x0, y0, x1, y1 }: Bounds, { size }: View): boolean {
  return x0 >= 0 && y0 >= 0 && x1 <= size.width && y1 <= size.height;
}

function overlap(a: Bounds, b: Bounds): boolean {
  return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}
