import { expect, it } from 'vitest';
import { fakeRects, fakeScene, u32 } from '../../api/fake_scene';
import { pathAfter, pathTo } from './path';

it('a box lies below those around it', () => {
  const rects = fakeRects(
    [0, 0, 80, 20, 1],
    [80, 0, 100, 20, 2],
    [0, 20, 30, 40, 3],
    [30, 20, 40, 40, 4],
    [0, 40, 10, 60, 4],
  );
  const texts = ['solve\n8 s', 'idle\n2 s', 'exchange\n3 s', 'wait\n1 s', 'wait\n1 s'];
  const title = u32(1, 2, 3, 4, 5);
  const scene = fakeScene([{ ...rects, columns: { ...rects.columns, title } }], { texts });
  const at = (x0: number, y0: number, x1: number) => pathTo(scene, { x0, y0, x1, y1: y0 + 20 });
  expect(at(0, 40, 10)).toEqual(['solve', 'exchange', 'wait']);
  expect(at(30, 20, 40)).toEqual(['solve', 'wait']);
  expect(at(80, 0, 100)).toEqual(['idle']);
});

it('a click leads in, and on what fills the width out', () => {
  expect(pathAfter([], ['a'])).toEqual(['a']);
  expect(pathAfter(['a', 'b'], ['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
  expect(pathAfter(['a', 'b'], ['a'])).toEqual(['a']);
  expect(pathAfter(['a', 'b'], ['a', 'b'])).toEqual(['a']);
});
