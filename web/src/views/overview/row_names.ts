// The names beside the rows of an overview. Areas tell their path in their title; a group reaches
// around all areas whose path begins with its own.

import { type Bounds, type Scene, titleOf } from '../../api/scene';
import { pathsUp } from '../scene/paths';
import { around, boxOf } from '../scene/place';

export interface RowName {
  readonly path: string;
  readonly name: string;
  /** In pixels from the top. */
  readonly top: number;
  readonly height: number;
  /** Only some rows have a name: nothing says how far this one reaches. */
  readonly isSparse: boolean;
}

/** The room that a name needs, in pixels. */
const LEAST_PX = 12;
/** From one name to the next where only some rows have one. */
const SPARSE_PX = 24;
/** After the path: siblings of which some are drawn as one, how many containers, how many areas. */
const TITLE = /^(.*?)( and [\d,]+ after it)?: [\d,]+ containers?(, [^/]*)?$/;

/** Of the groups that have room for a name the innermost; if none has room, some of the rows. */
export function rowNames(scene: Scene, height: number): readonly RowName[] {
  const perRow = height / Math.max(scene.view.y1 - scene.view.y0, 1e-9);
  const all = [...boxesOfGroups(scene)]
    .map(([path, box]) => ({
      path,
      name: path.slice(path.lastIndexOf('/') + 1),
      top: (box.y0 - scene.view.y0) * perRow,
      height: (box.y1 - box.y0) * perRow,
      isSparse: false,
    }))
    .sort((a, b) => a.top - b.top);
  const named = innermost(all.filter((row) => row.height >= LEAST_PX));
  return named.length > 0 ? named : sparse(innermost(all), height);
}

function innermost(rows: readonly RowName[]): readonly RowName[] {
  const hasInner = new Set(rows.flatMap(({ path }) => pathsUp(path).slice(0, -1)));
  return rows.filter(({ path }) => !hasInner.has(path));
}

function sparse(rows: readonly RowName[], height: number): readonly RowName[] {
  let last = -SPARSE_PX;
  return rows.flatMap((row) => {
    const top = Math.max(row.top + (row.height - LEAST_PX) / 2, 0);
    if (top - last < SPARSE_PX || top + LEAST_PX > height) return [];
    last = top;
    return [{ ...row, top, height: LEAST_PX, isSparse: true }];
  });
}

function boxesOfGroups(scene: Scene): ReadonlyMap<string, Bounds> {
  const boxes = new Map<string, Bounds>();
  for (const layer of scene.layers) {
    if (layer.kind !== 'rects') continue;
    for (let mark = 0; mark < layer.n; mark += 1) {
      const [first = ''] = (titleOf(scene, layer, mark) ?? '').split('\n');
      const [, path, siblings] = TITLE.exec(first) ?? [];
      if (path === undefined) continue;
      // An area of several siblings says where their parent is, not where the first is.
      const up = siblings === undefined ? pathsUp(path) : pathsUp(path).slice(0, -1);
      for (const group of up) boxes.set(group, around(boxes.get(group), boxOf(layer, mark)));
    }
  }
  return boxes;
}
