// The outline of a mark that is pointed at or selected.

import { bandCorners, headLength } from './geometry';
import type { PlacedSolid, SpaceKind } from './hit';
import type { Strokes } from './mesh';
import { legsOf } from './places';

type Spot = readonly [number, number, number];

export function addOutline(
  strokes: Strokes,
  { solid, places }: Pick<PlacedSolid, 'solid' | 'places'>,
  kind: SpaceKind,
  mark: number,
  width: number,
  color: number,
): void {
  const ring = (corners: readonly Spot[]) => {
    for (const [corner, from] of corners.entries()) {
      strokes.line(from, corners[(corner + 1) % corners.length] ?? from, width, color);
    }
  };
  switch (kind) {
    case 'boxes': {
      const { boxes, nodes } = solid;
      const node = boxes.node[mark];
      const radius = nodes.radius[node] * boxes.radius[mark];
      const at = (z: number) => squareAround(places.x[node], places.y[node], radius, z);
      const [low, high] = [at(boxes.z0[mark]), at(boxes.z1[mark])];
      ring(low);
      ring(high);
      for (const [corner, from] of low.entries()) {
        strokes.line(from, high[corner] ?? from, width, color);
      }
      break;
    }
    case 'nodes':
      ring(squareAround(places.x[mark], places.y[mark], solid.nodes.radius[mark] * 1.08, 0));
      break;
    case 'arrows': {
      const wide = solid.arrows.width[mark] + width;
      for (const { from, to, ends } of legsOf(solid, places, mark)) {
        strokes.line(from, to, wide, color);
        if (ends) strokes.head(from, to, headLength(wide), color);
      }
      break;
    }
    case 'edges':
    case 'cables': {
      const corners = bandCorners(solid[kind], places, mark);
      if (corners !== null) ring(corners);
      break;
    }
    case 'cells': {
      const { x0, y0, x1, y1 } = solid.cells;
      ring([
        [x0[mark], y0[mark], 0],
        [x1[mark], y0[mark], 0],
        [x1[mark], y1[mark], 0],
        [x0[mark], y1[mark], 0],
      ]);
      break;
    }
    case 'marks':
      break;
  }
}

function squareAround(x: number, y: number, radius: number, z: number): readonly Spot[] {
  return [
    [x - radius, y - radius, z],
    [x + radius, y - radius, z],
    [x + radius, y + radius, z],
    [x - radius, y + radius, z],
  ];
}
