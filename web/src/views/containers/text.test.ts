import { expect, it } from 'vitest';
import type { ContainerRow } from '../../api/types';
import { containersCsv, imbalanceText } from './text';

const ROW: ContainerRow = {
  node: 3,
  name: 'rank "1", main',
  path: '/node/rank "1", main',
  kind: 'Process',
  type: 'State',
  value: 'wait',
  total: 1.5,
  total_ticks: 1_500_000_000,
  share: 0.25,
  count: 4,
  mean: 0.375,
  mean_ticks: 375_000_000,
  max: 1,
  max_ticks: 1_000_000_000,
  imbalance_percent: -12.34,
  outlier: 'low',
  over_time: [0, 1],
};

it('writes a line for each row, names in quotes where they need them', () => {
  const [head, line, end] = containersCsv([ROW]).split('\r\n');
  expect(head?.split(',').slice(0, 6)).toEqual([
    ...['path', 'name', 'kind', 'type', 'value', 'total_ticks'],
  ]);
  expect(line).toBe(
    '"/node/rank ""1"", main","rank ""1"", main",Process,State,wait,1500000000,1.5,0.25,4,375000000,1000000000,-12.34,low',
  );
  expect(end).toBe('');
});

it('marks those that are far from most', () => {
  expect(imbalanceText(ROW)).toBe('▼ −12.3 %');
  expect(imbalanceText({ ...ROW, imbalance_percent: 50, outlier: 'high' })).toBe('▲ +50.0 %');
  expect(imbalanceText({ ...ROW, imbalance_percent: 0, outlier: null })).toBe('0.0 %');
  expect(imbalanceText({ ...ROW, imbalance_percent: null })).toBe('');
});
