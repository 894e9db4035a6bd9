import { expect, it } from 'vitest';
import { byteSize, countOf, grouped, percent, rounded } from './number';

it('writes numbers as the terminal does', () => {
  expect(grouped(1_234_567)).toBe('1,234,567');
  expect(grouped(12_345_678_901_234_567_890n)).toBe('12,345,678,901,234,567,890');
  expect(countOf(1, 'row')).toBe('1 row');
  expect(countOf(1200, 'row')).toBe('1,200 rows');
  expect(byteSize(900)).toBe('900 bytes');
  expect(byteSize(1536)).toBe('1.5 KiB');
  expect(byteSize(3 * 2 ** 30)).toBe('3.0 GiB');
  // The server has the same table.
  const shares = [0.1234, 0.1225, 0.12250000000000003, 0.0005, 0.6875, -0.1225, 1, 0];
  const texts = ['12.3 %', '12.3 %', '12.3 %', '0.1 %', '68.8 %', '-12.3 %', '100.0 %', '0.0 %'];
  expect(shares.map(percent)).toEqual(texts);
});

it('rounds to what people take in at a glance', () => {
  expect([0, 1234.56, 12.3456, 0.0012345, -1, 1e-9].map(rounded)).toEqual([
    '0',
    '1,234.6',
    '12.346',
    '0.001234',
    '-1.000',
    '1.000e-9',
  ]);
});
