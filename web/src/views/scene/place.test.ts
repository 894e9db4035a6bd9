import { expect, it } from 'vitest';
import { fakeRects, fakeScene, u32 } from '../../api/fake_scene';
import { fitting, toPage } from '../../paint/transform';
import {
  boxesOfNodes,
  magnified,
  magnifiedTo,
  magnifying,
  moved,
  overTime,
  pinchedPicture,
  WHOLE,
} from './place';

const SIZE = { width: 200, height: 100 };
const VIEW = { x0: 0, y0: 0, x1: 10, y1: 10 };

it('what is under the pointer stays there', () => {
  const at = { x: 50, y: 80 };
  const closer = magnified(WHOLE, 4, at, SIZE);
  expect(closer.scale).toBe(4);
  // The place in the picture, before and after.
  expect(closer.x + at.x / closer.scale).toBeCloseTo(at.x);
  expect(closer.y + at.y / closer.scale).toBeCloseTo(at.y);
});

it('a picture is never smaller than its frame, nor moved out of it', () => {
  expect(magnified(WHOLE, 0.1, { x: 9, y: 9 }, SIZE)).toEqual(WHOLE);
  expect(moved(WHOLE, 30, 30, SIZE)).toEqual(WHOLE);
  expect(moved({ scale: 2, x: 50, y: 25 }, -1000, 10, SIZE)).toEqual({ scale: 2, x: 100, y: 20 });
});

it('what is under two fingers stays under them', () => {
  const before = [
    { x: 60, y: 40 },
    { x: 100, y: 60 },
  ] as const;
  const after = [
    { x: 40, y: 40 },
    { x: 120, y: 80 },
  ] as const;
  const next = pinchedPicture(WHOLE, before, after, SIZE);
  expect(next.scale).toBeCloseTo(2);
  for (const [place, { x, y }] of before.entries()) {
    expect((x - next.x) * next.scale).toBeCloseTo(after[place]?.x ?? 0);
    expect((y - next.y) * next.scale).toBeCloseTo(after[place]?.y ?? 0);
  }
});

it('a box is brought into the middle', () => {
  const next = magnifiedTo({ x0: 100, y0: 40, x1: 120, y1: 60 }, SIZE);
  expect(next.scale).toBeCloseTo(4.5);
  expect(next.x + SIZE.width / next.scale / 2).toBeCloseTo(110);
  expect(next.y + SIZE.height / next.scale / 2).toBeCloseTo(50);
});

it('magnifying enlarges what is on the page', () => {
  const transform = magnifying(fitting(VIEW, SIZE.width, SIZE.height), { scale: 2, x: 100, y: 50 });
  expect(toPage(transform, { x0: 5, y0: 5, x1: 10, y1: 10 })).toEqual({
    x0: 0,
    y0: 0,
    x1: 200,
    y1: 100,
  });
});

it('a picture of another window lies where its time is', () => {
  const view = { x0: 0, y0: 0, x1: 100, y1: 10 };
  const transform = overTime(view, { from: 1000, to: 1100 }, { from: 1050, to: 1100 }, SIZE);
  expect(toPage(transform, view)).toEqual({ x0: -200, y0: 0, x1: 200, y1: 100 });
});

function sceneOf(kinds: readonly (readonly [number, number])[]) {
  const rects = fakeRects(
    ...kinds.map((_, place) => [place * 10, 0, place * 10 + 10, 5, kinds[place]?.[1] ?? 0]),
  );
  const high = u32(...kinds.map(([bits]) => bits));
  return fakeScene([{ ...rects, columns: { ...rects.columns, pick_hi: high } }]);
}

it('a node reaches around all its values', () => {
  const share = (value: number) => ((4 << 28) | value) >>> 0;
  const scene = sceneOf([
    [share(1), 7],
    [share(2), 7],
    [share(1), 8],
  ]);
  expect(boxesOfNodes(scene, [7])).toEqual([{ x0: 0, y0: 0, x1: 20, y1: 5 }]);
  expect(boxesOfNodes(scene, [])).toEqual([]);
  expect(boxesOfNodes(scene, [9])).toEqual([]);
});

it('two nodes are the pair between them', () => {
  const pair = (from: number) => ((5 << 28) | from) >>> 0;
  const scene = sceneOf([
    [pair(7), 8],
    [pair(7), 7],
    [pair(8), 8],
  ]);
  expect(boxesOfNodes(scene, [7, 8])).toEqual([{ x0: 0, y0: 0, x1: 10, y1: 5 }]);
  expect(boxesOfNodes(scene, [7])).toEqual([{ x0: 10, y0: 0, x1: 20, y1: 5 }]);
});
