import { expect, it } from 'vitest';
import { readUnfolded, type Unfolded, writtenUnfolded } from './unfolded';

const PATH: readonly Unfolded[] = [
  { title: 'Phase 2 (B)', part: { within: { first: 4, last: 90 } }, phases: null, communities: 3 },
  {
    title: 'a and 1 more in phase 1',
    part: { within: { first: 4, last: 9 }, among: [3, 8] },
    phases: 2,
    communities: null,
  },
];

it('what is unfolded is written and read back', () => {
  const text = JSON.stringify(PATH.map(writtenUnfolded));
  expect(readUnfolded(JSON.parse(text))).toEqual(PATH);
});

it('a part that makes no sense unfolds nothing', () => {
  const good = ['Phase 1 (A)', [0, 5], null, null, null];
  expect(readUnfolded([good])).toHaveLength(1);
  for (const wrong of ['Phase', [1, [0, 5], null], ['a', [0], null], ['a', [0, -1], null], ['a']]) {
    expect(readUnfolded([good, wrong])).toEqual([]);
  }
  expect(readUnfolded(null)).toEqual([]);
});
