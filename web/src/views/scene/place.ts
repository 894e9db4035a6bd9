// Where a scene is on the page: over time it follows the window, else it fills its frame and can
// be magnified.

import type { Bounds, RectLayer, Scene } from '../../api/scene';
import { pickOf } from '../../api/scene';
import type { ViewName } from '../../api/types';
import type { Point, Size } from '../../lib/geometry';
import { clamp } from '../../lib/number';
import { spanOf, type Window } from '../../lib/window';
import { fitting, type Transform } from '../../paint/transform';
import { meaningOf } from '../../state/picks';

const OVER_TIME: readonly ViewName[] = ['overview', 'concurrency', 'efficiency'];

/** Does a view go over time? Its axis has its place before there is a picture. */
export function isOverTime(view: ViewName): boolean {
  return OVER_TIME.includes(view);
}

/** How much a picture is magnified, and which place of it is at the left top, in its pixels. */
export interface Magnified {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export const WHOLE: Magnified = { scale: 1, x: 0, y: 0 };
const MOST_SCALE = 64;

/** What is at a place of the frame stays there. */
export function magnified(now: Magnified, factor: number, at: Point, size: Size): Magnified {
  const scale = clamp(now.scale * factor, 1, MOST_SCALE);
  const x = now.x + at.x / now.scale - at.x / scale;
  const y = now.y + at.y / now.scale - at.y / scale;
  return inside({ scale, x, y }, size);
}

/** Two fingers have moved: the picture grows with their distance and follows their middle. */
export function pinchedPicture(
  now: Magnified,
  [a, b]: readonly [Point, Point],
  [c, d]: readonly [Point, Point],
  size: Size,
): Magnified {
  const [wasApart, apart] = [Math.hypot(b.x - a.x, b.y - a.y), Math.hypot(d.x - c.x, d.y - c.y)];
  const [before, after] = [middle(a, b), middle(c, d)];
  const grown = magnified(now, wasApart > 0 ? apart / wasApart : 1, before, size);
  return moved(grown, after.x - before.x, after.y - before.y, size);
}

function middle(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

export function moved(now: Magnified, dx: number, dy: number, size: Size): Magnified {
  return inside({ ...now, x: now.x - dx / now.scale, y: now.y - dy / now.scale }, size);
}

/** Fills the frame with a box of the unmagnified picture, with a margin. */
export function magnifiedTo(box: Bounds, size: Size): Magnified {
  const [x0, x1] = [Math.min(box.x0, box.x1), Math.max(box.x0, box.x1)];
  const [y0, y1] = [Math.min(box.y0, box.y1), Math.max(box.y0, box.y1)];
  const fits = Math.min(size.width / Math.max(x1 - x0, 1), size.height / Math.max(y1 - y0, 1));
  const scale = clamp(fits * 0.9, 1, MOST_SCALE);
  const x = (x0 + x1) / 2 - size.width / scale / 2;
  const y = (y0 + y1) / 2 - size.height / scale / 2;
  return inside({ scale, x, y }, size);
}

function inside({ scale, x, y }: Magnified, { width, height }: Size): Magnified {
  return {
    scale,
    x: clamp(x, 0, width - width / scale),
    y: clamp(y, 0, height - height / scale),
  };
}

export function magnifying(transform: Transform, { scale, x, y }: Magnified): Transform {
  return {
    scaleX: transform.scaleX * scale,
    shiftX: (transform.shiftX - x) * scale,
    scaleY: transform.scaleY * scale,
    shiftY: (transform.shiftY - y) * scale,
  };
}

/** A scene over time, drawn for one window and seen through another. */
export function overTime(view: Bounds, drawn: Window, seen: Window, size: Size): Transform {
  const perTick = size.width / spanOf(seen);
  const scaleX = (perTick * spanOf(drawn)) / Math.max(view.x1 - view.x0, 1e-9);
  const { scaleY, shiftY } = fitting(view, size.width, size.height);
  return { scaleX, shiftX: (drawn.from - seen.from) * perTick - view.x0 * scaleX, scaleY, shiftY };
}

/** The boxes of nodes: around all rectangles that stand for one. A pair is a box of its own. */
export function boxesOfNodes(scene: Scene, nodes: readonly number[]): readonly Bounds[] {
  if (nodes.length === 0) return [];
  const wanted = new Set(nodes);
  const boxes = new Map<string, Bounds>();
  for (const layer of scene.layers) {
    if (layer.kind !== 'rects') continue;
    for (let mark = 0; mark < layer.n; mark += 1) {
      // The lower half of every pick is a node, so that most are told apart without large numbers.
      if (!wanted.has(layer.pickLow?.[mark] ?? -1)) continue;
      const meant = meaningOf(pickOf(layer, mark) ?? '0').nodes;
      const isMeant = meant.length > 0 && meant.every((node) => wanted.has(node));
      // Two selected rows are the pair between them, not all that each has with itself.
      if (!isMeant || (isPair(layer, mark) && meant.length !== nodes.length)) continue;
      const key = meant.join();
      boxes.set(key, around(boxes.get(key), boxOf(layer, mark)));
    }
  }
  return [...boxes.values()];
}

const PAIR = 5;

function isPair(layer: RectLayer, mark: number): boolean {
  return (layer.pickHigh?.[mark] ?? 0) >>> 28 === PAIR;
}

export function boxOf(layer: RectLayer, mark: number): Bounds {
  return { x0: layer.x0[mark], y0: layer.y0[mark], x1: layer.x1[mark], y1: layer.y1[mark] };
}

export function around(a: Bounds | undefined, b: Bounds): Bounds {
  if (a === undefined) return b;
  return {
    x0: Math.min(a.x0, b.x0),
    y0: Math.min(a.y0, b.y0),
    x1: Math.max(a.x1, b.x1),
    y1: Math.max(a.y1, b.y1),
  };
}
