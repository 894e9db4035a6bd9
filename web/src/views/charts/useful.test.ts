import { expect, it } from 'vitest';
import type { ValueInfo } from '../../api/types';
import { toggled, usefulOf } from './useful';

const value = (id: number, role: string | null) => ({ id, role }) as ValueInfo;

it('roles tell what is useful until somebody chooses', () => {
  const values = [value(1, 'compute'), value(2, 'wait'), value(3, 'task'), value(4, null)];
  expect([...usefulOf(values, null)]).toEqual([1, 3]);
  expect([...usefulOf(values, [2])]).toEqual([2]);
});

it('a value is taken in and out', () => {
  expect(toggled(new Set([1, 3]), 2)).toEqual([1, 2, 3]);
  expect(toggled(new Set([1, 3]), 3)).toEqual([1]);
});
