import { expect, it } from 'vitest';
import { fakeRects, fakeScene, u32 } from '../../api/fake_scene';
import { apart, namesOfBars } from './sides';

function titled(...texts: readonly string[]) {
  const rects = fakeRects(...texts.map((_, at) => [at * 10, at * 4, at * 10 + 10, at * 4 + 2, at]));
  const title = u32(...texts.map((_, place) => place + 1));
  return fakeScene([{ ...rects, columns: { ...rects.columns, title } }], { texts });
}

it('bars are named once each, at their middle', () => {
  const scene = titled('rank 0\ncomputing  1 %', 'rank 1\nwaiting  2 %');
  expect(namesOfBars(scene)).toEqual([
    { at: 1, text: 'rank 0' },
    { at: 5, text: 'rank 1' },
  ]);
});

it('names do not touch', () => {
  const names = [0, 5, 14, 15, 30].map((at) => ({ at, text: `${at}` }));
  expect(apart(names, 14).map(({ at }) => at)).toEqual([0, 14, 30]);
});
