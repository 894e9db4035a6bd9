import { expect, test } from 'vitest';
import { cameraOf, windowOf, within } from './measure';

test('the walk begins with the whole and stays inside the trace', () => {
  expect(windowOf(0, 1000)).toEqual({ from: 0, to: 1000 });
  for (let move = 0; move < 240; move += 1) {
    const { from, to } = windowOf(move, 1000);
    expect(from).toBeGreaterThanOrEqual(0);
    expect(to).toBeGreaterThan(from);
    expect(to).toBeLessThanOrEqual(1001);
  }
});

test('a scene is turned once around, and seen from above its base', () => {
  expect(cameraOf(0).azimuth).toBe(0);
  expect(cameraOf(30)).toMatchObject({ azimuth: 180, elevation: 85 });
  for (let move = 0; move < 60; move += 1) {
    expect(cameraOf(move).elevation).toBeGreaterThan(0);
    expect(cameraOf(move).elevation).toBeLessThan(90);
  }
});

test('shares are counted from the smallest', () => {
  expect(within([1, 2, 3, 4], 0.5)).toBe(2);
  expect(within([1, 2, 3, 4], 0.99)).toBe(4);
  expect(within([], 0.5)).toBe(0);
});
