import { expect, it } from 'vitest';
import { curveOf, notchOf } from './trade_offs';

/** In bits; nothing here depends on it. */
const WHOLE = { gain: 1, loss: 1 };
const SEGMENTS = [
  { from: 0, to: 0.2, p: 0.1, ...WHOLE, gain_share: 0.5, loss_share: 0, aggregates: 90 },
  { from: 0.2, to: 0.7, p: 0.45, ...WHOLE, gain_share: 0.75, loss_share: 0.25, aggregates: 12 },
  { from: 0.7, to: 1, p: 0.85, ...WHOLE, gain_share: 1, loss_share: 1, aggregates: 1 },
];

it('every trade-off has its notch', () => {
  expect(notchOf(SEGMENTS, 2, null)).toBe(2);
  expect(SEGMENTS.map(({ p }) => notchOf(SEGMENTS, 0, p))).toEqual([0, 1, 2]);
  expect(notchOf(SEGMENTS, 0, 1)).toBe(2);
  expect(notchOf([], 0, 0.3)).toBe(0);
});

it('a curve is a step for each segment', () => {
  expect(curveOf(SEGMENTS, 'loss_share')).toEqual([
    [0, 1],
    [0.2, 1],
    [0.2, 0.75],
    [0.7, 0.75],
    [0.7, 0],
    [1, 0],
  ]);
});
