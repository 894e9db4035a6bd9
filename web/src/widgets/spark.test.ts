import { expect, it } from 'vitest';
import { sparkPath } from './spark';

it('has a step for each amount, the largest as high as there is room', () => {
  expect(sparkPath([0, 2, 4])).toBe('M0 1V1H1V0.5H2V0H3V1Z');
});

it('has nothing to draw where there is nothing', () => {
  expect(sparkPath([])).toBe('');
  expect(sparkPath([0, 0])).toBe('');
});
