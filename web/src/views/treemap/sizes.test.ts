import { expect, it } from 'vitest';
import { isOperator, nameInRatio, usualRatios } from './sizes';

it('names that mean something else in a ratio are quoted', () => {
  expect(nameInRatio('MPI_Wait')).toBe('MPI_Wait');
  expect(nameInRatio('in a lock')).toBe('"in a lock"');
  expect(nameInRatio('a:b/c')).toBe('"a:b/c"');
  expect(nameInRatio('state')).toBe('"state"');
  expect(nameInRatio('say "x" \\')).toBe('"say \\"x\\" \\\\"');
});

it('ratios to begin with are about what there is', () => {
  expect(usualRatios(['run', 'wait'], false)).toEqual([
    'time:run / time',
    'time:wait / time',
    'time / count',
  ]);
  expect(usualRatios([], true)).toContain('size:link / count:link');
});

it('operators have names, everything else is a formula', () => {
  expect(isOperator('max')).toBe(true);
  expect(isOperator('max / mean')).toBe(false);
  expect(isOperator('toString')).toBe(false);
});
