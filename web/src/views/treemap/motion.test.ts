import { expect, it } from 'vitest';
import { fakeRects, fakeScene, u32 } from '../../api/fake_scene';
import type { Scene } from '../../api/scene';
import { motionBetween, sliced } from './motion';

type Cell = readonly [box: readonly [number, number, number, number], pick: number, title: string];

function treemap(...cells: readonly Cell[]): Scene {
  const rects = fakeRects(...cells.map(([box, pick]) => [...box, pick] as const));
  const title = u32(...cells.map((_, place) => place + 1));
  return fakeScene([{ ...rects, columns: { ...rects.columns, title } }], {
    texts: cells.map(([, , text]) => text),
  });
}

function boxes(scene: Scene | undefined): readonly (readonly number[])[] {
  const [layer] = scene?.layers ?? [];
  if (layer?.kind !== 'rects') return [];
  return Array.from({ length: layer.n }, (_, mark) => [
    layer.x0[mark],
    layer.y0[mark],
    layer.x1[mark],
    layer.y1[mark],
  ]);
}

it('a box is cut along its longer side', () => {
  expect(sliced({ x0: 0, y0: 0, x1: 100, y1: 10 }, [1, 3])).toEqual([
    { x0: 0, y0: 0, x1: 25, y1: 10 },
    { x0: 25, y0: 0, x1: 100, y1: 10 },
  ]);
});

it('what is the same moves, and what is new grows', () => {
  const before = treemap([[0, 0, 100, 100], 7, '/a\nrun  1 %']);
  const after = treemap(
    [[0, 0, 50, 100], 7, '/a\nrun  1 %'],
    [[50, 0, 100, 100], 8, '/a\nwait  1 %'],
  );
  const motion = motionBetween(before, after);
  expect(boxes(motion?.(0))).toEqual([
    [0, 0, 100, 100],
    [75, 50, 75, 50],
  ]);
  expect(boxes(motion?.(0.5))[0]).toEqual([0, 0, 75, 100]);
  expect(boxes(motion?.(1))).toEqual(boxes(after));
});

const COARSE = treemap(
  [[0, 0, 100, 60], 1, '/a\nrun  60 %, 6 s'],
  [[0, 60, 100, 100], 2, '/a\nwait  40 %, 4 s'],
);
const FINE = treemap(
  [[0, 0, 50, 100], 11, '/a/b\nrun  100 %, 5 s'],
  [[50, 0, 100, 20], 12, '/a/c\nrun  20 %, 1 s'],
  [[50, 20, 100, 100], 13, '/a/c\nwait  80 %, 4 s'],
);

it('one level deeper, the parts go out of what they are parts of', () => {
  const motion = motionBetween(COARSE, FINE);
  const [b, c, wait] = boxes(motion?.(0));
  expect(b?.map(Math.round)).toEqual([0, 0, 83, 60]);
  expect(c?.map(Math.round)).toEqual([83, 0, 100, 60]);
  expect(wait).toEqual([0, 60, 100, 100]);
  expect(boxes(motion?.(1))).toEqual(boxes(FINE));
});

it('one level up, they go in again', () => {
  const motion = motionBetween(FINE, COARSE);
  expect(boxes(motion?.(0))).toEqual(boxes(FINE));
  expect(boxes(motion?.(1))[2]).toEqual([0, 60, 100, 100]);
});

it('nothing in common, no motion', () => {
  expect(motionBetween(COARSE, treemap([[0, 0, 9, 9], 99, '/z\nidle  1 %']))).toBeNull();
});
