import { expect, it } from 'vitest';
import { fakeRects, fakeScene, u32 } from '../../api/fake_scene';
import { rowNames } from './row_names';

it('rows are named by the innermost group that has room', () => {
  const areas: readonly (readonly [number, number, string])[] = [
    [0, 4, '/a/b: 4 containers'],
    [4, 5, '/a/c/x: 1 container'],
    [5, 8, '/a/c/y and 2 after it: 3 containers, 2 areas drawn together'],
    [0, 8, '/a: 8 containers'],
  ];
  const rects = fakeRects(...areas.map(([y0, y1], at) => [at * 10, y0, at * 10 + 10, y1, at + 1]));
  const scene = fakeScene([{ ...rects, columns: { ...rects.columns, title: u32(1, 2, 3, 4) } }], {
    view: { x0: 0, y0: 0, x1: 40, y1: 8 },
    texts: areas.map(([, , text]) => text),
  });
  const names = (height: number) =>
    rowNames(scene, height).map(({ name, top, height: high }) => [name, top, high]);
  expect(names(160)).toEqual([
    ['b', 0, 80],
    ['x', 80, 20],
  ]);
  expect(names(40)).toEqual([
    ['b', 0, 20],
    ['c', 20, 20],
  ]);
  expect(names(16)).toEqual([['a', 0, 16]]);
});

it('some rows are named where none has room', () => {
  const n = 100;
  const rects = fakeRects(
    ...Array.from({ length: n }, (_, at) => [0, at, 10, at + 1, at + 1] as const),
  );
  const title = u32(...Array.from({ length: n }, (_, at) => at + 1));
  const texts = Array.from({ length: n }, (_, at) => `/r${at}: 1 container`);
  const view = { x0: 0, y0: 0, x1: 10, y1: n };
  const scene = fakeScene([{ ...rects, columns: { ...rects.columns, title } }], { view, texts });
  const names = rowNames(scene, 200);
  expect(names.length).toBe(8);
  expect(names.every(({ isSparse }) => isSparse)).toBe(true);
});
