import { expect, it } from 'vitest';
import type { TimelineRow } from '../../api/types';
import { groupsAbove, NAME_HEIGHT, rowAt, rowsWithNames, scalesIn, scaleWords } from './rows';

function row(name: string, depth: number, y0: number, y1: number): TimelineRow {
  const state = 'leaf';
  return { nodes: [y0], name, kind: '', depth, y0, y1, state, below: 0, path: name };
}

it('names every row where there is room', () => {
  const rows = [row('a', 0, 0, 18), row('b', 1, 18, 36), row('c', 1, 36, 54)];
  expect(rowsWithNames(rows)).toEqual(rows.map((row) => ({ row, middle: row.y0 + 9 })));
});

it('names those near the root first where rows are thin, and none that touch', () => {
  const leaves = Array.from({ length: 200 }, (_, place) =>
    row(`r${place}`, 2, place * 2, place * 2 + 2),
  );
  const group = row('group', 1, 101, 103);
  const named = rowsWithNames([...leaves, group], 400);
  expect(named.map(({ row }) => row.name)).toContain('group');
  const middles = named.map(({ middle }) => middle).sort((a, b) => a - b);
  const gaps = middles.slice(1).map((middle, place) => middle - middles[place]);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(NAME_HEIGHT);
  // None is cut off.
  expect(middles[0]).toBeGreaterThanOrEqual(NAME_HEIGHT / 2);
  expect(middles[middles.length - 1]).toBeLessThanOrEqual(400 - NAME_HEIGHT / 2);
  // No gap in which another name would have fitted.
  expect(Math.max(...gaps)).toBeLessThan(2 * NAME_HEIGHT + 2);
});

it('writes the name of a first child below that of its parent', () => {
  const thin = [0, 1, 2, 3, 4, 5].map((place) =>
    row(`r${place}`, 1, 4 + 6 * place, 10 + 6 * place),
  );
  const parent: TimelineRow = { ...row('parent', 0, 0, 4), state: 'open' };
  const named = rowsWithNames([parent, ...thin]);
  expect(named.map(({ row }) => row.name)).toEqual(['parent', 'r0', 'r5']);
  expect(named[1]?.middle).toBe(NAME_HEIGHT / 2 + NAME_HEIGHT);
});

it('always names the row that is pointed at', () => {
  const thin = [0, 1, 2, 3].map((place) => row(`r${place}`, 1, 4 * place, 4 * place + 4));
  expect(rowsWithNames(thin).map(({ row }) => row.name)).not.toContain('r2');
  expect(rowsWithNames(thin, Infinity, thin[2]).map(({ row }) => row.name)).toContain('r2');
});

it('finds the deepest row at a height', () => {
  const rows = [row('a', 0, 0, 40), row('b', 1, 10, 20)];
  expect(rowAt(rows, 15)?.name).toBe('b');
  expect(rowAt(rows, 25)?.name).toBe('a');
  expect(rowAt(rows, 40)).toBeNull();
});

it('tells the groups around what is seen', () => {
  const group = (path: string, depth: number, y0: number): TimelineRow => ({
    ...row(path, depth, y0, y0 + 10),
    state: 'open',
  });
  const rows = [
    group('/a', 0, 0),
    group('/a/b', 1, 10),
    row('/a/b/1', 2, 20, 30),
    group('/a/c', 1, 30),
    row('/a/c/1', 2, 40, 50),
  ];
  const names = (scrollY: number) => groupsAbove(rows, scrollY).map(({ path }) => path);
  expect(names(0)).toEqual([]);
  expect(names(10)).toEqual(['/a']);
  expect(names(25)).toEqual(['/a', '/a/b']);
  expect(names(45)).toEqual(['/a', '/a/c']);
});

it('tells no groups where nothing is scrolled, however thin rows are', () => {
  const group: TimelineRow = { ...row('/a', 0, 0, 2), state: 'open' };
  expect(groupsAbove([group, row('/a/1', 1, 2, 4)], 0)).toEqual([]);
});

it('a row tells the scales of its graphs in words', () => {
  const marks = [
    { y: 26, text: '97' },
    { y: 40, text: '50' },
    { y: 52, text: '0' },
  ];
  const power = { name: 'power', y0: 21, y1: 57, marks };
  const load = { name: 'load', y0: 58, y1: 70, marks: marks.slice(0, 1) };
  expect(scalesIn([power, load], row('a', 0, 20, 71))).toEqual([power, load]);
  expect(scalesIn([power, load], row('b', 0, 71, 99))).toEqual([]);
  expect(scaleWords(power)).toBe('power: 0 to 97');
  expect(scaleWords(load)).toBe('load: up to 97');
  expect(scaleWords({ ...load, marks: [] })).toBe('load');
});
