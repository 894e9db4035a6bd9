import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  duration,
  exactLength,
  exactTime,
  parseTime,
  ruler,
  type TimeBase,
  timeBase,
  timeText,
} from './time';

const seconds: TimeBase = { begin: 0n, unit: 's', ticksPerUnit: 1_000_000_000n };
/** Nanoseconds since 1970: far beyond what a number of a script holds. */
const epoch: TimeBase = { ...seconds, begin: 1_700_000_000_123_456_789n };

describe('exact times', () => {
  it('have all their digits', () => {
    expect(exactTime(seconds, 1_200_000_000)).toBe('1.200000000');
    expect(exactTime(epoch, 1)).toBe('1700000000.123456790');
    expect(exactTime({ ...seconds, begin: -1n }, 0)).toBe('-0.000000001');
    expect(exactLength(epoch, 5)).toBe('0.000000005');
    expect(exactTime({ begin: 3n, unit: 'cycles', ticksPerUnit: 1n }, 4)).toBe('7');
  });

  it('come back from their text', () => {
    const begins = fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n });
    fc.assert(
      fc.property(begins, fc.integer({ min: 0, max: 2 ** 50 }), (begin, ticks) => {
        const base = { ...seconds, begin };
        return parseTime(base, exactTime(base, ticks)) === ticks;
      }),
    );
  });

  it('that are none are refused', () => {
    expect(parseTime(seconds, '1.5 s')).toBeNull();
    expect(parseTime(seconds, '')).toBeNull();
    expect(parseTime(seconds, '1,234.5')).toBe(1_234_500_000_000);
  });
});

describe('times for people', () => {
  it('have a unit that fits', () => {
    expect(duration(seconds, 3_112_000)).toBe('3.112 ms');
    expect(duration(seconds, 0)).toBe('0 s');
    expect(duration({ ...seconds, unit: 'ms' }, 2.5e12)).toBe('2.500 s');
    expect(duration({ ...seconds, unit: 'cycles' }, 2.5e12)).toBe('2,500.0 cycles');
    expect(difference(seconds, -2000)).toBe('−2.000 µs');
    expect(difference(seconds, 3_112_000)).toBe('+3.112 ms');
  });

  it('have as many digits as the zoom makes meaningful', () => {
    expect(timeText(seconds, 1_234_040_000, 100_000)).toBe('1.2340 s');
    expect(timeText(seconds, 1_234_060_000, 100_000)).toBe('1.2341 s');
    expect(timeText(epoch, 1, 1)).toBe('1700000000.123456790 s');
    expect(timeText(seconds, 2_600_000_000, 3e9)).toBe('3 s');
    expect(timeText({ ...seconds, begin: -2_600_000_000n }, 0, 3e9)).toBe('-3 s');
  });

  it('are read from what the server tells', () => {
    const info = { begin_ticks: '-5', unit: { name: 'ms', ticks_per_unit: '1000' } };
    expect(timeBase(info)).toEqual({ begin: -5n, unit: 'ms', ticksPerUnit: 1000n });
  });
});

describe('the ruler', () => {
  const texts = (base: TimeBase, from: number, to: number) =>
    ruler(base, from, to, 4).ticks.map((tick) => tick.text);

  it('chooses its unit', () => {
    expect(ruler(seconds, 0, 2_500_000_000, 4).unit).toBe('s');
    expect(texts(seconds, 0, 2_500_000_000)).toEqual(['0', '1', '2']);
    expect(ruler(seconds, 0, 2_500_000, 4).unit).toBe('ms');
    expect(texts(seconds, 1_200_000_000, 1_206_000_000)).toEqual([
      '1.200',
      '1.202',
      '1.204',
      '1.206',
    ]);
  });

  it('counts from a round time where numbers would be long', () => {
    const { unit, ticks } = ruler(seconds, 1_200_002_000, 1_200_008_000, 4);
    expect(unit).toBe('µs after 1.2 s');
    expect(ticks.map((tick) => tick.text)).toEqual(['+2', '+4', '+6', '+8']);
    expect(ticks.map((tick) => tick.at)).toEqual([
      1_200_002_000, 1_200_004_000, 1_200_006_000, 1_200_008_000,
    ]);
  });

  it('keeps the zeros of a whole origin', () => {
    const cycles: TimeBase = { begin: 1_200_000n, unit: 'cycles', ticksPerUnit: 1n };
    expect(ruler(cycles, 0, 50, 4).unit).toBe('cycles after 1200000 cycles');
  });

  it('keeps its origin while the window moves a little', () => {
    const origin = (from: number) => ruler(epoch, from, from + 6000, 4).unit;
    expect(origin(1_000_100)).toBe(origin(1_003_000));
  });

  it('has its ticks in the window, and not too many', () => {
    const starts = fc.integer({ min: 0, max: 2 ** 45 });
    const spans = fc.integer({ min: 10, max: 2 ** 45 });
    fc.assert(
      fc.property(starts, spans, fc.integer({ min: 1, max: 20 }), (from, span, most) => {
        for (const base of [seconds, epoch]) {
          const { ticks } = ruler(base, from, from + span, most);
          // Times since 1970 are rounded to 256 ticks when they become numbers.
          const slack = span * 1e-3 + 512;
          expect(ticks.length).toBeLessThanOrEqual(most);
          for (const { at } of ticks) {
            expect(at).toBeGreaterThanOrEqual(from - slack);
            expect(at).toBeLessThanOrEqual(from + span + slack);
          }
        }
      }),
    );
  });
});
