import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fakeRects, fakeScene } from '../api/fake_scene';
import type { RectLayer } from '../api/scene';
import { bandsOf, hasBands } from './bands';

function rects(...list: readonly (readonly number[])[]): RectLayer {
  const [layer] = fakeScene([fakeRects(...list)]).layers;
  if (layer.kind !== 'rects') throw new Error('no rectangles');
  return layer;
}

it('puts neighbours of a row together', () => {
  const layer = rects([0, 0, 5, 9, 1], [5, 0, 8, 9, 2], [20, 0, 30, 9, 3], [0, 10, 9, 19, 4]);
  expect(bandsOf(layer)).toEqual([
    { first: 0, end: 3, x1: 30 },
    { first: 3, end: 4, x1: 9 },
  ]);
});

it('holds every rectangle once, in order, and none that overlap', () => {
  const number = fc.integer({ min: 0, max: 6 });
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number, number), { maxLength: 40 }), (list) => {
      const layer = rects(...list.map(([x, y, wide], mark) => [x, y, x + wide, y + 1, mark + 1]));
      const bands = bandsOf(layer);
      const held = bands.flatMap(({ first, end }) =>
        Array.from({ length: end - first }, (_, place) => first + place),
      );
      expect(held).toEqual(list.map((_, mark) => mark));
      for (const { first, end } of bands) {
        for (let mark = first + 1; mark < end; mark += 1) {
          expect(layer.x0[mark]).toBeGreaterThanOrEqual(layer.x1[mark - 1]);
          expect(layer.y0[mark]).toBe(layer.y0[first]);
        }
      }
    }),
  );
});

it('is only for many rectangles in few rows', () => {
  const row = (n: number, y: (mark: number) => number) =>
    rects(...Array.from({ length: n }, (_, mark) => [mark, y(mark), mark + 1, y(mark) + 1, 1]));
  expect(hasBands(row(20_000, () => 0))).toBe(true);
  expect(hasBands(row(20_000, (mark) => mark % 2))).toBe(false);
  expect(hasBands(row(100, () => 0))).toBe(false);
});
