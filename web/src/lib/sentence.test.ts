import { expect, test } from 'vitest';
import { capitalised, claimed } from './sentence';

test('a share is told in percent of the run', () => {
  expect(claimed(0.1149)).toBe('11.5 % of the run');
  expect(claimed(0.0004)).toBe('< 0.1 % of the run');
  expect(claimed(0)).toBe('no time claimed');
});

test('sentences begin with a large letter, names stay as they are', () => {
  expect(capitalised('all take longer')).toBe('All take longer');
  expect(capitalised('rank-3 takes longer')).toBe('rank-3 takes longer');
});
