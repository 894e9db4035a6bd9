// Which nested values lie around a box of a flame graph. A box knows its name only; those around it
// are the boxes above.

import { type Bounds, pickOf, type Scene, titleOf } from '../../api/scene';
import { boxOf } from '../scene/place';

/** The names from the outermost value to that of the box itself. */
export function pathTo(scene: Scene, box: Bounds): readonly string[] {
  const middle = (box.x0 + box.x1) / 2;
  const around: { readonly y: number; readonly name: string }[] = [];
  for (const layer of scene.layers) {
    if (layer.kind !== 'rects') continue;
    for (let mark = 0; mark < layer.n; mark += 1) {
      const own = boxOf(layer, mark);
      const isAround = own.y0 <= box.y0 && own.x0 <= middle && middle < own.x1;
      const name = titleOf(scene, layer, mark)?.split('\n')[0];
      if (isAround && name !== undefined && pickOf(layer, mark) !== null) {
        around.push({ y: own.y0, name });
      }
    }
  }
  return around.sort((a, b) => a.y - b.y).map(({ name }) => name);
}

/** Where a click leads: into a box, and out of the one that fills the width. */
export function pathAfter(now: readonly string[], clicked: readonly string[]): readonly string[] {
  const isSame = now.length === clicked.length && now.every((name, at) => name === clicked[at]);
  return isSame ? clicked.slice(0, -1) : clicked;
}
