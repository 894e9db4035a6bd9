import { expect, it, vi } from 'vitest';
import { CoarseWhileMoving, REST_MS } from './coarse';
import type { Painter } from './painter';

it('has half the pixels while it moves, all of them at rest', () => {
  vi.useFakeTimers();
  const ratios: number[] = [];
  const painter: Painter = {
    resize: (_, __, ratio) => void ratios.push(ratio),
    load: () => {},
    draw: () => {},
    dispose: () => {},
  };
  let nRests = 0;
  const coarse = new CoarseWhileMoving(painter, () => {
    nRests += 1;
  });
  const draw = (shiftX: number) =>
    coarse.draw({
      transform: { scaleX: 1, shiftX, scaleY: 1, shiftY: 0 },
      background: 0,
      emphasis: null,
    });
  coarse.resize(100, 50, 2);
  draw(0);
  draw(0);
  expect(ratios).toEqual([2]);
  draw(1);
  draw(2);
  expect(ratios).toHaveLength(2);
  expect((ratios[1] ?? 0) ** 2).toBeCloseTo(2);
  vi.advanceTimersByTime(REST_MS - 1);
  draw(3);
  vi.advanceTimersByTime(REST_MS - 1);
  expect(nRests).toBe(0);
  vi.advanceTimersByTime(1);
  expect([ratios.at(-1), nRests]).toEqual([2, 1]);
  // A resize while it moves stays coarse.
  draw(4);
  coarse.resize(200, 50, 1);
  expect(ratios.at(-1)).toBeCloseTo(Math.SQRT1_2);
  coarse.dispose();
  vi.advanceTimersByTime(1000);
  expect(nRests).toBe(1);
  vi.useRealTimers();
});
