import { expect, it } from 'vitest';
import type { Inspection } from '../../api/types';
import { inspectionText } from './text';

const BASE = { begin: 1000n, unit: 's', ticksPerUnit: 1000n };
const ABOUT = {
  kind: 'state',
  title: 'Wait',
  path: '/node/rank 1',
  container: 'rank 1',
  start: 500,
  end: 750,
  fields: [{ name: 'Size', text: '64' }],
  source: { file: 'solver.c', line: 3 },
} as unknown as Inspection;

it('says a field a line, times with all their digits', () => {
  expect(inspectionText(BASE, ABOUT).split('\n')).toEqual([
    'state\tWait',
    'path\t/node/rank 1',
    'start\t1.500',
    'end\t1.750',
    'duration\t0.250',
    'Size\t64',
    'source\tsolver.c:3',
  ]);
});

it('says the duration once', () => {
  const fields = [{ name: 'duration', text: '0.250 s' }];
  const lines = inspectionText(BASE, { ...ABOUT, fields }).split('\n');
  expect(lines.filter((line) => line.startsWith('duration'))).toEqual(['duration\t0.250 s']);
});
