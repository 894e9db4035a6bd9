import { expect, it } from 'vitest';
import { parseLength, parseTypedTime } from './length';

const SECONDS = { begin: 5_000_000_000n, unit: 's', ticksPerUnit: 1_000_000_000n };
const OTHER = { begin: 0n, unit: 'step', ticksPerUnit: 1n };

it('lengths have a unit or that of the trace', () => {
  expect(parseLength(SECONDS, '2 ms')).toBe(2_000_000);
  expect(parseLength(SECONDS, '1.5us')).toBe(1500);
  expect(parseLength(SECONDS, '3 µs')).toBe(3000);
  expect(parseLength(SECONDS, '0.25')).toBe(250_000_000);
  expect(parseLength(SECONDS, '3e-6 s')).toBe(3000);
  expect(parseLength(OTHER, '12')).toBe(12);
});

it('what is no length is told', () => {
  for (const text of ['', 'ms', '1 parsec', '1..2', 'x'])
    expect(parseLength(SECONDS, text)).toBeNull();
  expect(parseLength(OTHER, '2 ms')).toBeNull();
});

it('times are those of the trace, exact in its unit', () => {
  expect(parseTypedTime(SECONDS, '5.000000001')).toBe(1);
  expect(parseTypedTime(SECONDS, '6 s')).toBe(1_000_000_000);
  expect(parseTypedTime(SECONDS, '6000 ms')).toBe(1_000_000_000);
  expect(parseTypedTime(SECONDS, 'noon')).toBeNull();
});
