import { expect, it } from 'vitest';
import { nodePick, valuePick } from './picks';
import { beginOf } from './steps';
import { NOTHING_SELECTED } from './types';

const STATE = ((1n << 60n) | 5n).toString();

it('begins at what is selected, if it can', () => {
  const state = { ...NOTHING_SELECTED, pick: STATE, nodes: [3] };
  for (const along of ['row', 'cause', 'path', 'length'] as const) {
    expect(beginOf(state, along)).toBe(STATE);
    expect(beginOf(NOTHING_SELECTED, along)).toBeNull();
  }
});

it('begins at rows and values where these have a first', () => {
  const row = { ...NOTHING_SELECTED, nodes: [3] };
  expect(beginOf(row, 'row')).toBe(nodePick(3));
  expect(beginOf(row, 'cause')).toBeNull();
  const value = { ...NOTHING_SELECTED, value: 7 };
  expect(beginOf(value, 'length')).toBe(valuePick(7));
  expect(beginOf(value, 'row')).toBeNull();
});
