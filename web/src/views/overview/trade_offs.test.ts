import { expect, it } from 'vitest';
import { axisOf, curveOf, notchOf, textOfP } from './trade_offs';

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
  const [first, ...rest] = curveOf(SEGMENTS, axisOf(SEGMENTS), 'loss_share');
  expect(first).toEqual([0, 1]);
  expect(rest.map(([, y]) => y)).toEqual([1, 0.75, 0.75, 0, 0]);
  // Of one decade, 0.2 is at log10(2).
  expect(rest[0]?.[0]).toBeCloseTo(0.30103, 5);
  expect(rest.at(-1)).toEqual([1, 0]);
});

it('an axis has powers of ten, and says which trade-off is where', () => {
  const [least] = SEGMENTS;
  const axis = axisOf([{ ...least, from: 0.0004 }]);
  expect(axis.marks.map(({ p }) => p)).toEqual([1, 0.1, 0.01, 0.001, 0.0001]);
  expect(axis.marks.map(({ at }) => at)).toEqual([1, 0.75, 0.5, 0.25, 0]);
  expect(axis.placeOf(0)).toBe(0);
  expect(axis.tradeOffAt(0.5)).toBeCloseTo(0.01, 12);
  expect(axisOf([]).lowest).toBeCloseTo(0.1, 12);
});

it('a trade-off has the digits that tell it from its neighbours', () => {
  const at = (p: number) => ({ ...SEGMENTS[0], p });
  const close = [at(0), at(0.00012341), at(0.00012343), at(0.5)];
  expect(close.map((_, notch) => textOfP(close, notch))).toEqual([
    '0',
    '0.00012341',
    '0.00012343',
    '0.5',
  ]);
  expect(textOfP([], 0)).toBe('');
});
