import { expect, it } from 'vitest';
import type { SessionTrace } from '../../api/types';
import { chosenOf, partText, runsOf, withChosen } from './chosen';

const trace = (id: string): SessionTrace => ({
  id,
  name: `run ${id}`,
  status: 'ready',
  progress: { read: 0, total: null, records: null },
  message: null,
  growth: null,
});
const TRACES = [trace('1'), trace('2'), trace('3')];
const USUAL = chosenOf({ asked: {} });
const ids = (open: string, part: Partial<typeof USUAL>) => {
  const runs = runsOf(TRACES, open, { ...USUAL, ...part });
  return runs && [runs.before.id, runs.after.id];
};

it('traces are compared in the order in which they were named', () => {
  expect(ids('1', {})).toEqual(['1', '2']);
  expect(ids('2', {})).toEqual(['1', '2']);
  expect(ids('1', { run: '3' })).toEqual(['1', '3']);
  expect(ids('1', { run: '3', swapped: true })).toEqual(['3', '1']);
  // A run that is not there is as good as none.
  expect(ids('1', { run: '9' })).toEqual(['1', '2']);
  expect(runsOf([trace('1')], '1', USUAL)).toBeNull();
});

it('a choice comes back from the options of a pane, and what is usual takes no room', () => {
  const chosen = { ...USUAL, run: '2', align: 'phases', part: { from: 5, to: 10 } };
  const kept = withChosen({ asked: {} }, chosen);
  expect(chosenOf(kept)).toEqual(chosen);
  expect(kept.asked['compare']).toEqual({ run: '2', align: 'phases', part: [5, 10] });
  expect(withChosen({ asked: { pie: { of: 'x' } } }, USUAL).asked).toEqual({
    pie: { of: 'x' },
    compare: {},
  });
});

it('what makes no sense is the usual', () => {
  const asked = { compare: { run: 3, picture: 'pie', part: [9, 2], depth: -1, align: null } };
  expect(chosenOf({ asked })).toEqual(USUAL);
});

it('a part is told in shares', () => {
  expect(partText({ from: 25, to: 50 }, 100)).toBe('0.25..0.5');
  expect(partText({ from: 25, to: 200 }, 100)).toBe('0.25..1');
});
