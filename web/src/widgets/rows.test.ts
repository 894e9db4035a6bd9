import { describe, expect, it } from 'vitest';
import { matchEntries } from './matching';
import { sortedRows, visibleRows } from './rows';

describe('rows of a table', () => {
  const columns = [{ name: 'n', key: (row: { n: number | string }) => row.n }];
  const rows = ['rank10', 'rank9', 'rank1'].map((n) => ({ n }));

  it('sort with numbers in names by size, and both ways', () => {
    const names = (descending: boolean) =>
      sortedRows(rows, columns, { name: 'n', descending }).map((row) => row.n);
    expect(names(false)).toEqual(['rank1', 'rank9', 'rank10']);
    expect(names(true)).toEqual(['rank10', 'rank9', 'rank1']);
  });

  it('stay as they are without an order', () => {
    expect(sortedRows(rows, columns, null)).toBe(rows);
    expect(sortedRows(rows, columns, { name: 'x', descending: true })).toBe(rows);
  });

  it('are in the page if they can be seen', () => {
    const { from, to } = visibleRows(1000, 20, 2000, 100);
    expect(from).toBeLessThanOrEqual(100);
    expect(to).toBeGreaterThanOrEqual(105);
    expect(to - from).toBeLessThan(30);
    expect(visibleRows(3, 20, 0, 100)).toEqual({ from: 0, to: 3 });
    expect(visibleRows(0, 20, 500, 100)).toEqual({ from: 0, to: 0 });
  });
});

describe('entries of the palette', () => {
  const entries = ['Links: all', 'Show all rows', 'All rows'].map((title) => ({ title }));

  it('match by all words, the beginning first', () => {
    const found = (text: string) => matchEntries(entries, text).map((entry) => entry.title);
    expect(found('all')).toEqual(['All rows', 'Links: all', 'Show all rows']);
    expect(found('rows show')).toEqual(['Show all rows']);
    expect(found('none')).toEqual([]);
  });
});
