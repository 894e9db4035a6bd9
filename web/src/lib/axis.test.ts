import fc from 'fast-check';
import { expect, it } from 'vitest';
import { axisTicks, decimalsOf } from './axis';

it('chooses round numbers', () => {
  expect(axisTicks(0, 1, 6).at).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  expect(axisTicks(0.13, 0.46, 4).at).toEqual([0.2, 0.3, 0.4]);
  expect(axisTicks(0, 97, 5).at).toEqual([0, 20, 40, 60, 80]);
  expect(axisTicks(-5, 5, 3).at).toEqual([-5, 0, 5]);
  expect(axisTicks(1e6, 3e6, 4).decimals).toBe(0);
  expect(axisTicks(0.13, 0.46, 4).decimals).toBe(1);
});

it('has one tick at most where there is no axis', () => {
  expect(axisTicks(2, 2, 5).at).toEqual([2]);
  expect(axisTicks(Number.NaN, 2, 5).at).toEqual([]);
  expect(axisTicks(0, 2, 0).at).toEqual([]);
});

it('never has more than asked for, in rising order', () => {
  const bounds = fc.double({ min: -1e9, max: 1e9, noNaN: true });
  const spans = fc.double({ min: 1e-3, max: 1e12, noNaN: true });
  fc.assert(
    fc.property(bounds, spans, fc.integer({ min: 1, max: 12 }), (from, span, most) => {
      const { at } = axisTicks(from, from + span, most);
      expect(at.length).toBeLessThanOrEqual(most);
      expect(at.every((tick, place) => place === 0 || at[place - 1] < tick)).toBe(true);
    }),
  );
});

it('tells how many decimals a step needs', () => {
  expect([5, 1, 0.5, 0.1, 0.02, 0.001].map(decimalsOf)).toEqual([0, 0, 1, 1, 2, 3]);
});
