import { expect, it } from 'vitest';
import { depthWithin, levelAfter } from './levels';
import { endingAfter, firstFrame, firstFrom, isAtEnd, moved } from './play';

it('levels go from the root to the leaves and not beyond', () => {
  expect(levelAfter(null, -1, 5)).toBe(3);
  expect(levelAfter(3, 1, 5)).toBeNull();
  expect(levelAfter(null, 1, 5)).toBeNull();
  expect(levelAfter(0, -1, 5)).toBe(0);
  expect(levelAfter(9, -1, 3)).toBe(1);
  expect(depthWithin(4, 5)).toBe(4);
  expect(depthWithin(5, 5)).toBeNull();
});

it('a window moves through the trace until its end', () => {
  expect(firstFrame({ from: 0, to: 1000 }, 1000)).toEqual({ from: 0, to: 50 });
  const seen = { from: 100, to: 300 };
  expect(firstFrame(seen, 1000)).toBe(seen);
  expect(moved(seen, 0.5, 1000)).toEqual({ from: 200, to: 400 });
  expect(moved(seen, -5, 1000)).toEqual({ from: 0, to: 200 });
  expect(moved(seen, 50, 1000)).toEqual({ from: 800, to: 1000 });
  expect(isAtEnd({ from: 800, to: 1000 }, 1000)).toBe(true);
  expect(isAtEnd(seen, 1000)).toBe(false);
});

it('a window goes on until the next thing that begins', () => {
  // What began before is still going on, and comes first.
  expect(firstFrom([10, 250, 300, 320], 300)).toBe(300);
  expect(firstFrom([10, 250], 300)).toBeNull();
  expect(endingAfter({ from: 100, to: 300 }, 300, 1000)).toEqual({ from: 101, to: 301 });
  expect(endingAfter({ from: 100, to: 300 }, 1000, 1000)).toEqual({ from: 800, to: 1000 });
});
