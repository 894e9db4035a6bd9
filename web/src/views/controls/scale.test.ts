import { expect, it } from 'vitest';
import { marksApart } from './scale';

const marks = (...at: number[]) => at.map((share) => ({ at: share, text: String(share) }));

it('keeps the ends and what has room between them', () => {
  expect(marksApart(marks(0, 0.1, 0.5, 0.6, 0.95, 1), 0.3)).toEqual(marks(0, 0.5, 1));
  expect(marksApart(marks(0, 1), 0.3)).toEqual(marks(0, 1));
  expect(marksApart(marks(0.5), 0.3)).toEqual(marks(0.5));
  expect(marksApart([], 0.3)).toEqual([]);
});
