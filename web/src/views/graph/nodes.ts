// The nodes of a drawn graph, and where they are.

import { type Bounds, type PolygonLayer, pickOf, type Scene } from '../../api/scene';
import { nodeOf } from '../../state/picks';

interface DrawnNode {
  readonly node: number;
  readonly box: Bounds;
}

/** Every node is a disc that stands for it alone, below the parts of its pie. */
export function nodesOf(scene: Scene): readonly DrawnNode[] {
  return scene.layers.flatMap((layer) => {
    if (layer.kind !== 'polygons') return [];
    const found: DrawnNode[] = [];
    for (let mark = 0; mark < layer.n; mark += 1) {
      const node = nodeOf(pickOf(layer, mark) ?? '0');
      if (node !== null) found.push({ node, box: boxOf(layer, mark) });
    }
    return found;
  });
}

function boxOf({ x, y, firstPoint, n }: PolygonLayer, mark: number): Bounds {
  const [first, last] = [firstPoint[mark], mark + 1 < n ? firstPoint[mark + 1] : x.length];
  const [xs, ys] = [x.subarray(first, last), y.subarray(first, last)];
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}
