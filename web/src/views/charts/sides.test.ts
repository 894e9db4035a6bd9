import { expect, it } from 'vitest';
import { fakeRects, fakeScene, u32 } from '../../api/fake_scene';
import { apart, beginsOfBins, lastingIn, namesOfBars } from './sides';

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

it('bins tell where they begin', () => {
  const scene = titled('1 µs to less than 2 µs\n5 states', '2 µs to less than 4 µs\n6 states');
  expect(beginsOfBins(scene)).toEqual([
    { at: 0, text: '1 µs' },
    { at: 10, text: '2 µs' },
  ]);
});

it('names do not touch', () => {
  const names = [0, 5, 14, 15, 30].map((at) => ({ at, text: `${at}` }));
  expect(apart(names, 14).map(({ at }) => at)).toEqual([0, 14, 30]);
});

it('a part of a histogram stands for whole bins', () => {
  expect(lastingIn(9.3, 11.2)).toEqual({ from: 512, to: 4096 });
  expect(lastingIn(4, 5)).toEqual({ from: 16, to: 32 });
  expect(lastingIn(-3, 0.2)).toEqual({ from: 0, to: 2 });
});
