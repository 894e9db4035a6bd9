// Where the containers around a cell of a treemap are. Cells tell their path in their title; a
// container reaches around everything whose path begins with its own.

import { type Bounds, type Scene, titleOf } from '../../api/scene';
import { around, boxOf } from './place';

/** After a path comes what it has, as `: 4 containers, 22 s, 4.2 % of all`, or which part it is. */
const AFTER_PATH = /(: [\d,]+ containers?, [^/]*|, parts of it| itself)$/;

export function pathOf(title: string | null): string {
  const [first = ''] = (title ?? '').split('\n');
  return first.replace(AFTER_PATH, '');
}

/** The paths from the outermost container to the last, without the root. */
export function pathsUp(path: string): readonly string[] {
  const names = path.split('/').slice(1);
  if (names.length === 1 && names[0] === '') return [];
  return names.map((_, place) => `/${names.slice(0, place + 1).join('/')}`);
}

export function boxesByPath(scene: Scene): ReadonlyMap<string, Bounds> {
  const boxes = new Map<string, Bounds>();
  for (const layer of scene.layers) {
    if (layer.kind !== 'rects') continue;
    for (let mark = 0; mark < layer.n; mark += 1) {
      const box = boxOf(layer, mark);
      for (const path of pathsUp(pathOf(titleOf(scene, layer, mark)))) {
        boxes.set(path, around(boxes.get(path), box));
      }
    }
  }
  return boxes;
}
