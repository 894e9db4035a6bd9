import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readSelection, readWindow, Told, writeSelection } from './host';
import { NOTHING_SELECTED } from './state/types';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('takes windows and selections from programs as far as they make sense', () => {
  expect(readWindow({ from: 1, to: 5 })).toEqual({ from: 1, to: 5 });
  for (const wrong of [null, undefined, 7, {}, { from: 5, to: 1 }, { from: -1, to: 2 }]) {
    expect(readWindow(wrong)).toBe(null);
  }
  expect(readSelection({ pick: '17', nodes: [3, 'x'], range: { from: 1, to: 2 } })).toEqual({
    ...NOTHING_SELECTED,
    pick: '17',
    nodes: [3],
    range: { from: 1, to: 2 },
  });
  fc.assert(fc.property(fc.anything(), (told) => readSelection(told) !== null));
  expect(writeSelection(readSelection(null))).toBe(null);
  expect(writeSelection({ ...NOTHING_SELECTED })).toBe(null);
  expect(writeSelection(readSelection({ pick: '1' }))).toMatchObject({ pick: '1' });
});

it('tells what is new, now and then, and the last in any case', () => {
  const tell = vi.fn();
  const told = new Told<number>(0, tell);
  told.set(0);
  expect(tell).not.toHaveBeenCalled();
  for (const value of [1, 2, 3]) told.set(value);
  vi.runAllTimers();
  expect(tell.mock.calls).toEqual([[1], [3]]);
  told.set(3);
  expect(tell).toHaveBeenCalledTimes(2);
});

it('does not tell what it was told, nor what is older than that', () => {
  const tell = vi.fn();
  const told = new Told<number | null>(null, tell);
  told.set(1);
  told.set(2);
  told.heard(9);
  told.set(9);
  vi.runAllTimers();
  expect(tell.mock.calls).toEqual([[1]]);
  told.set(null);
  expect(tell).toHaveBeenLastCalledWith(null);
});
