import { expect, it } from 'vitest';
import type { Scene } from '../../api/scene';
import { nodesOf } from './nodes';

const [NODE, SHARE] = [0x20000000, 0x40000000];

it('nodes are the discs that stand for them alone, not the parts of their pies', () => {
  const layer = {
    kind: 'polygons',
    n: 3,
    x: Float32Array.of(0, 10, 5, 0, 5, 5, 20, 30, 25),
    y: Float32Array.of(0, 0, 8, 0, 0, 8, 3, 1, 9),
    firstPoint: Uint32Array.of(0, 3, 6),
    pickLow: Uint32Array.of(4, 4, 7),
    pickHigh: Uint32Array.of(NODE, SHARE, NODE),
  };
  const scene = { layers: [layer], texts: [] } as unknown as Scene;
  expect(nodesOf(scene)).toEqual([
    { node: 4, box: { x0: 0, y0: 0, x1: 10, y1: 8 } },
    { node: 7, box: { x0: 20, y0: 1, x1: 30, y1: 9 } },
  ]);
});
