import { expect, it } from 'vitest';
import type { LensAnswer, StatisticsAnswer, TraceInfo } from '../../api/types';
import { legendRows, markRows } from './rows';

const value = (id: number, type: number, name: string) => ({ id, type, name, color: '#000000' });
const trace = {
  types: [
    { id: 0, name: 'Process', nature: 'container', count: 5 },
    { id: 1, name: 'State', nature: 'state', count: 15 },
    { id: 2, name: 'Message', nature: 'link', count: 2 },
    { id: 3, name: 'Load', nature: 'variable', color: '#112233', count: 1 },
    { id: 4, name: 'Unused', nature: 'variable', count: 0 },
  ],
  values: [value(0, 1, 'Idle'), value(1, 1, 'Run'), value(2, 2, 'Idle'), value(3, 1, 'Wait')],
} as unknown as TraceInfo;
const lens = {
  types: [{ type: 'Load', seen: true, color: '#445566', shape: 'area' }],
  values: [
    { type: 'State', value: 'Wait', seen: false },
    { type: 'State', value: 'Run', seen: true },
  ],
} as unknown as LensAnswer;
const statistics = {
  values: [
    { type: 'State', value: 'Run', share: 0.75, total_ticks: 30, count: 4 },
    { type: 'State', value: 'Idle', share: 0.25, total_ticks: 10, count: 9 },
    { type: 'Message', value: 'Idle', share: null, count: 2 },
  ],
} as unknown as StatisticsAnswer;

it('values come by type and share, with what is hidden where it was', () => {
  const brief = (rows: ReturnType<typeof legendRows>) =>
    rows.map((row) => [row.type.name, row.name, row.share, row.count, row.seen]);
  const first = legendRows(trace, lens, statistics);
  expect(brief(first)).toEqual([
    ['State', 'Run', 0.75, 4, true],
    ['State', 'Idle', 0.25, 9, true],
    ['State', 'Wait', null, 0, false],
    ['Message', 'Idle', null, 2, true],
    ['Load', 'Load', null, 1, true],
  ]);
  const hidden = {
    ...lens,
    values: [{ type: 'State', value: 'Run', seen: false }],
  } as unknown as LensAnswer;
  const rest = {
    values: [{ type: 'State', value: 'Idle', share: 1, total_ticks: 10, count: 9 }],
  } as unknown as StatisticsAnswer;
  expect(brief(legendRows(trace, hidden, rest, first)).slice(0, 2)).toEqual([
    ['State', 'Run', null, 0, false],
    ['State', 'Idle', 1, 9, true],
  ]);
});

it('a type without values has the look that the lens gives', () => {
  const load = legendRows(trace, lens, null).find((row) => row.name === 'Load');
  expect(load).toMatchObject({ value: null, color: '#445566', shape: 'area' });
});

it('nothing is claimed while nothing is known', () => {
  const rows = legendRows(trace, null, null).filter((row) => row.value !== null);
  expect(rows.every((row) => row.seen && row.share === null && row.count === null)).toBe(true);
});

it('locks and numbers of derived states come from the picture, besides what the trace knows', () => {
  const entry = (name: string, value: number | null, share: number | null) => ({
    name,
    color: '#000000',
    value,
    share,
  });
  const legend = [
    entry('Run', 1, 0.5),
    entry('Message', null, null),
    entry('2 active', null, null),
    entry('mutex (held)', null, null),
  ];
  expect(markRows(trace, legend).map(({ name }) => name)).toEqual(['2 active', 'mutex (held)']);
});
