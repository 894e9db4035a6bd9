import { expect, it } from 'vitest';
import type { HistogramPlot } from '../../api/types';
import { numbersIn, placeOf, plotAt } from './brush';

const PLOT: HistogramPlot = {
  bounds: { x0: 100, y0: 20, x1: 140, y1: 60 },
  value: 3,
  edges: [10, 20, 40, 80, 160],
};
const part = (x0: number, x1: number) => ({ ...PLOT.bounds, x0, x1 });

it('a part stands for the whole columns that it touches', () => {
  expect(numbersIn(PLOT, part(112, 118))).toEqual({ from: 20, to: 40 });
  expect(numbersIn(PLOT, part(119, 121))).toEqual({ from: 20, to: 80 });
  expect(numbersIn(PLOT, part(100, 140))).toEqual({ from: 10, to: 160 });
});

it('zeros are left of all other columns', () => {
  expect(numbersIn(PLOT, part(86, 92))).toEqual({ from: 0, to: 1 });
  expect(numbersIn(PLOT, part(86, 105))).toEqual({ from: 0, to: 20 });
  // What lies between them is nothing.
  expect(numbersIn(PLOT, part(97, 105))).toEqual({ from: 10, to: 20 });
});

it('what was marked lies where it was', () => {
  for (const [from, to] of [
    [100, 110],
    [110, 140],
    [85, 95],
  ] as const) {
    expect(placeOf(PLOT, numbersIn(PLOT, part(from + 1, to - 1)))).toEqual(part(from, to));
  }
});

it('a drag begins in a plot or beside it', () => {
  expect(plotAt([PLOT], { x: 120, y: 40 })).toBe(PLOT);
  expect(plotAt([PLOT], { x: 86, y: 40 })).toBe(PLOT);
  expect(plotAt([PLOT], { x: 120, y: 70 })).toBeNull();
});
