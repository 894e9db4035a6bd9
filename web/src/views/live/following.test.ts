import { expect, it } from 'vitest';
import { isWhole, moved, told } from './following';

it('the whole stays the whole, and a part moves to the end with its width', () => {
  expect(isWhole({ from: 0, to: 100 }, 100)).toBe(true);
  expect(isWhole({ from: 1, to: 100 }, 100)).toBe(false);
  expect(moved({ from: 10, to: 60 }, 200)).toEqual({ from: 150, to: 200 });
  expect(moved({ from: 150, to: 200 }, 200)).toBeNull();
});

it('says what is out of the ordinary', () => {
  const quiet = { late: 0, silent_seconds: 0, note: '' };
  expect(told(quiet)).toEqual([]);
  expect(told({ late: 2, silent_seconds: 12, note: 'the file was replaced' })).toEqual([
    'the writer has been silent for 12 s',
    '2 came too late; the end puts them right',
    'the file was replaced',
  ]);
});
