import { expect, test } from 'vitest';
import { windowOf, within } from './measure';

test('the walk begins with the whole and stays inside the trace', () => {
  expect(windowOf(0, 1000)).toEqual({ from: 0, to: 1000 });
  for (let move = 0; move < 240; move += 1) {
    const { from, to } = windowOf(move, 1000);
    expect(from).toBeGreaterThanOrEqual(0);
    expect(to).toBeGreaterThan(from);
    expect(to).toBeLessThanOrEqual(1001);
  }
});

test('shares are counted from the smallest', () => {
  expect(within([1, 2, 3, 4], 0.5)).toBe(2);
  expect(within([1, 2, 3, 4], 0.99)).toBe(4);
  expect(within([], 0.5)).toBe(0);
});
