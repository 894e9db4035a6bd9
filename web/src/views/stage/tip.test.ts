import { expect, it } from 'vitest';
import { tipOf } from './tip';

const LEGEND = [{ name: 'MPI_Wait', color: '#d55e00', value: 3, share: 0.2 }];

it('a title is a head and lines of names and amounts', () => {
  expect(tipOf('/site: 4 containers\nMPI_Wait  22.0 %\ngain 3 bits', LEGEND)).toEqual({
    title: '/site: 4 containers',
    lines: [
      { name: 'MPI_Wait', amount: '22.0 %', color: '#d55e00' },
      { name: 'gain 3 bits', amount: '', color: null },
    ],
  });
});

it('names keep their spaces', () => {
  expect(tipOf('x\na  b  1.0 %', []).lines).toEqual([
    { name: 'a  b', amount: '1.0 %', color: null },
  ]);
});

it('without a title there is nothing to say', () => {
  expect(tipOf(null, LEGEND)).toEqual({ title: '', lines: [] });
});
