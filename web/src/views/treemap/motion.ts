// From one treemap to the next: what is the same moves from its old place to its new one, and what
// is divided or joined goes out of or into the place of what it is a part of.

import { type Bounds, pickOf, type RectLayer, type Scene, titleOf } from '../../api/scene';
import { pathOf, pathsUp } from '../scene/paths';
import { boxOf } from '../scene/place';

/** The pictures on the way, from 0 to 1. */
export type Motion = (share: number) => Scene;

interface Piece {
  readonly layer: RectLayer;
  readonly mark: number;
  readonly box: Bounds;
  readonly pick: string;
  /** The lines after the path: which value it is. */
  readonly value: string;
  readonly path: string;
}

/** How to get from one scene to another; `null` if they have nothing in common. */
export function motionBetween(before: Scene, after: Scene): Motion | null {
  const [old, next] = [piecesOf(before), piecesOf(after)];
  const oldByPick = new Map(old.map((piece) => [piece.pick, piece.box]));
  const known = next.filter(({ pick }) => oldByPick.has(pick)).length;
  if (known * 2 >= next.length && known > 0) {
    return along(after, next, ({ pick, box }) => oldByPick.get(pick) ?? pointIn(box), 'out');
  }
  const divided = partsOf(next, old);
  if (divided.size > 0)
    return along(after, next, (piece) => divided.get(piece) ?? piece.box, 'out');
  const joined = partsOf(old, next);
  if (joined.size > 0) return along(before, old, (piece) => joined.get(piece) ?? piece.box, 'in');
  return null;
}

function piecesOf(scene: Scene): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const layer of scene.layers) {
    if (layer.kind !== 'rects') continue;
    for (let mark = 0; mark < layer.n; mark += 1) {
      const pick = pickOf(layer, mark);
      const title = titleOf(scene, layer, mark);
      if (pick === null || title === null) continue;
      const value = title.split('\n')[1]?.split('  ')[0] ?? '';
      pieces.push({ layer, mark, box: boxOf(layer, mark), pick, value, path: pathOf(title) });
    }
  }
  return pieces;
}

/** Where the pieces of a finer picture are in the pieces of a coarser one that they are parts of. */
function partsOf(fine: readonly Piece[], coarse: readonly Piece[]): Map<Piece, Bounds> {
  const keyOf = (path: string, value: string) => `${path}\n${value}`;
  const wholes = new Map(coarse.map((piece) => [keyOf(piece.path, piece.value), piece.box]));
  const groups = new Map<Bounds, Piece[]>();
  for (const piece of fine) {
    const up = ['/', ...pathsUp(piece.path)];
    const whole = up.map((path) => wholes.get(keyOf(path, piece.value))).find((box) => box);
    if (whole !== undefined) groups.set(whole, [...(groups.get(whole) ?? []), piece]);
  }
  const parts = new Map<Piece, Bounds>();
  for (const [whole, pieces] of groups) {
    const slices = sliced(
      whole,
      pieces.map(({ box }) => areaOf(box)),
    );
    for (const [place, piece] of pieces.entries()) parts.set(piece, slices[place] ?? whole);
  }
  return parts;
}

/** A box cut along its longer side, by sizes. */
export function sliced(box: Bounds, sizes: readonly number[]): readonly Bounds[] {
  const all = sizes.reduce((sum, size) => sum + size, 0) || 1;
  const isWide = box.x1 - box.x0 >= box.y1 - box.y0;
  let before = 0;
  return sizes.map((size) => {
    const [from, to] = [before / all, (before + size) / all];
    before += size;
    const between = (low: number, high: number, share: number) => low + (high - low) * share;
    return isWide
      ? { ...box, x0: between(box.x0, box.x1, from), x1: between(box.x0, box.x1, to) }
      : { ...box, y0: between(box.y0, box.y1, from), y1: between(box.y0, box.y1, to) };
  });
}

/** Moves the pieces of a scene out of other places, or into them. Texts and lines would not fit. */
function along(
  scene: Scene,
  pieces: readonly Piece[],
  elsewhere: (piece: Piece) => Bounds,
  way: 'out' | 'in',
): Motion {
  const places = pieces.map((piece) => ({ piece, place: elsewhere(piece) }));
  return (share) => {
    const here = way === 'out' ? share : 1 - share;
    const moved = new Map<RectLayer, RectLayer>();
    for (const layer of scene.layers) {
      if (layer.kind !== 'rects') continue;
      const [x0, y0] = [layer.x0.slice(), layer.y0.slice()];
      const [x1, y1] = [layer.x1.slice(), layer.y1.slice()];
      moved.set(layer, { ...layer, x0, y0, x1, y1 });
    }
    const mix = (from: number, to: number) => from + (to - from) * here;
    for (const { piece, place } of places) {
      const layer = moved.get(piece.layer);
      if (layer === undefined) continue;
      const { mark, box } = piece;
      layer.x0[mark] = mix(place.x0, box.x0);
      layer.y0[mark] = mix(place.y0, box.y0);
      layer.x1[mark] = mix(place.x1, box.x1);
      layer.y1[mark] = mix(place.y1, box.y1);
    }
    return { ...scene, layers: [...moved.values()] };
  };
}

function areaOf({ x0, y0, x1, y1 }: Bounds): number {
  return Math.max(x1 - x0, 0) * Math.max(y1 - y0, 0);
}

function pointIn({ x0, y0, x1, y1 }: Bounds): Bounds {
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  return { x0: x, y0: y, x1: x, y1: y };
}
