import { expect, it } from 'vitest';
import { rowPlace } from './place';

const BASE = { begin: 1000n, unit: 's', ticksPerUnit: 1000n };
const columns = (...names: string[]) => names.map((name) => ({ name }));

it('ticks go before times in units', () => {
  const place = rowPlace(BASE, columns('container', 't_start', 'tick_start', 'tick_end', 'value'), [
    'rank1',
    1.5,
    '1500',
    1700,
    'Wait',
  ]);
  expect(place).toEqual({ start: 500, end: 700, container: 'rank1', value: 'Wait' });
});

it('times in units will do, and an end may be missing', () => {
  expect(rowPlace(BASE, columns('time', 'source'), [2.25, 'p0'])).toEqual({
    start: 1250,
    end: 1250,
    container: 'p0',
    value: null,
  });
});

it('a row without a time has no place', () => {
  expect(rowPlace(BASE, columns('container', 'n'), ['rank1', 3])).toBeNull();
  expect(rowPlace(BASE, columns('tick'), [null])).toBeNull();
});
