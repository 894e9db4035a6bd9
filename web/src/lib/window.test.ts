import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  around,
  holds,
  LEAST_SPAN,
  padded,
  paddedPixels,
  panned,
  spanOf,
  within,
  zoomed,
} from './window';

const LENGTH = 1_000_000;
const windows = fc
  .tuple(
    fc.integer({ min: 0, max: LENGTH - LEAST_SPAN }),
    fc.integer({ min: LEAST_SPAN, max: LENGTH }),
  )
  .map(([from, span]) => within({ from, to: from + span }, LENGTH));

describe('zooming', () => {
  it('keeps the time under the pointer where it is', () => {
    const factors = fc.double({ min: 0.2, max: 5, noNaN: true });
    const shares = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(windows, factors, shares, (window, factor, share) => {
        const after = zoomed(window, factor, share, LENGTH);
        const at = window.from + spanOf(window) * share;
        const atAfter = after.from + spanOf(after) * share;
        const touchesBorder = after.from === 0 || after.to === LENGTH;
        // Windows lie on whole ticks: both borders may be off by half a tick.
        if (!touchesBorder) expect(Math.abs(at - atAfter)).toBeLessThanOrEqual(1);
        expect(after.from).toBeGreaterThanOrEqual(0);
        expect(after.to).toBeLessThanOrEqual(LENGTH);
        expect(spanOf(after)).toBeGreaterThanOrEqual(LEAST_SPAN);
      }),
    );
  });

  it('in and out again comes back, away from the borders', () => {
    const window = { from: 400_000, to: 500_000 };
    const back = zoomed(zoomed(window, 0.5, 0.3, LENGTH), 2, 0.3, LENGTH);
    expect(back).toEqual(window);
  });
});

describe('panning', () => {
  it('keeps the length, also at the borders', () => {
    fc.assert(
      fc.property(windows, fc.double({ min: -3, max: 3, noNaN: true }), (window, share) => {
        expect(spanOf(panned(window, share, LENGTH))).toBe(spanOf(window));
      }),
    );
  });
});

describe('windows', () => {
  it('stay inside the trace', () => {
    expect(within({ from: -5, to: 20 }, LENGTH)).toEqual({ from: 0, to: 25 });
    expect(within({ from: 3, to: 3 }, LENGTH)).toEqual({ from: 3, to: 3 + LEAST_SPAN });
    expect(within({ from: 0, to: 100 }, 4)).toEqual({ from: 0, to: 4 });
    expect(around(100, 200, LENGTH)).toEqual({ from: 90, to: 210 });
  });
});

describe('the window to ask for', () => {
  it('holds what is seen, with half of it on both sides', () => {
    fc.assert(
      fc.property(windows, (window) => {
        const asked = padded(window, LENGTH);
        const half = spanOf(window) / 2;
        expect(holds(asked, window)).toBe(true);
        expect(asked.from).toBeLessThanOrEqual(Math.max(window.from - half, 0));
        expect(asked.to).toBeGreaterThanOrEqual(Math.min(window.to + half, LENGTH));
        expect(spanOf(asked)).toBeLessThanOrEqual(2.5 * spanOf(window));
      }),
    );
  });

  it('stays the same while the window moves a little', () => {
    expect(padded({ from: 400_300, to: 410_300 }, LENGTH)).toEqual(
      padded({ from: 400_700, to: 410_700 }, LENGTH),
    );
  });

  it('has rows in steps too', () => {
    expect(paddedPixels(0, 600, 256)).toEqual([0, 1024]);
    expect(paddedPixels(1000, 1600, 256)).toEqual([512, 2048]);
  });
});
