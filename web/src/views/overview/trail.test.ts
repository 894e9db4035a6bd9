import { expect, it } from 'vitest';
import { anchorsAfter, wayTo } from './trail';

const WHOLE = { from: 0, to: 1000 };
const WIDE = { from: 100, to: 500 };
const NARROW = { from: 200, to: 300 };

it('steps lead from the whole to a window', () => {
  const one = anchorsAfter([], WIDE, WHOLE);
  expect(wayTo(one, WIDE)).toEqual([WIDE]);
  const two = anchorsAfter(one, NARROW, WHOLE);
  expect(wayTo(two, NARROW)).toEqual([WIDE, NARROW]);
  expect(wayTo(anchorsAfter(two, WIDE, WHOLE), WIDE)).toEqual([WIDE]);
  expect(anchorsAfter(two, WHOLE, WHOLE)).toEqual([]);
});

it('many small steps are one, and its begin is not lost', () => {
  let anchors = anchorsAfter([], WIDE, WHOLE);
  let window = WIDE;
  for (const to of [450, 400, 350, 300]) {
    window = { from: 100, to };
    anchors = anchorsAfter(anchors, window, WHOLE);
  }
  expect(wayTo(anchors, window)[0]).toEqual(WIDE);
  expect(wayTo(anchors, window).at(-1)).toEqual(window);
});

it('a window elsewhere begins a way of its own', () => {
  const elsewhere = { from: 600, to: 700 };
  expect(anchorsAfter([WIDE, NARROW], elsewhere, WHOLE)).toEqual([elsewhere]);
});
