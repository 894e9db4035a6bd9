import { describe, expect, it } from 'vitest';
import { spanOf } from '../../lib/window';
import { VISIBLE } from './fake_visible';
import { isNear, requestFor, serves, type VisibleTimeline } from './question';

const visible: VisibleTimeline = { ...VISIBLE, rowHeight: 18, scrollY: 900 };

describe('the question', () => {
  it('has the scale of what is seen, and more around it', () => {
    const { question } = requestFor(visible);
    expect(question.width / spanOf(question.window)).toBeCloseTo(1000 / 10_000, 3);
    expect(question.window.from).toBeLessThan(395_001);
    expect(question.rows).toEqual({ height: 18, from: 512, to: 2048 });
    expect(requestFor({ ...visible, rowHeight: 'fit' }).question.rows).toEqual({ fit: 600 });
  });

  it('is not asked again while its answer shows all', () => {
    const asked = requestFor(visible);
    expect(serves(asked, visible)).toBe(true);
    expect(serves(asked, { ...visible, window: { from: 403_000, to: 413_000 } })).toBe(true);
    expect(serves(asked, { ...visible, scrollY: 1200 })).toBe(true);
  });

  it('is answered once, however narrow the plot is', () => {
    for (let width = 1; width < 200; width += 1) {
      const narrow = { ...visible, width, window: { from: 400_000, to: 407_919 } };
      expect(serves(requestFor(narrow), narrow), `${width} pixels`).toBe(true);
    }
  });

  it('is asked again when something else is seen', () => {
    const asked = requestFor(visible);
    const others: Partial<VisibleTimeline>[] = [
      { window: { from: 420_000, to: 430_000 } },
      { window: { from: 401_000, to: 409_000 } },
      { scrollY: 3000 },
      { rowHeight: 17 },
      { rowHeight: 'fit' },
      { lens: { version: 1, reuse_rows: ['a'] } },
      { theme: 'dark' },
      { open: [3] },
      { links: 'all' },
      { trace: 'u' },
    ];
    for (const other of others) expect(serves(asked, { ...visible, ...other })).toBe(false);
  });

  it('on its way is near enough for a moment', () => {
    const asked = requestFor(visible);
    expect(isNear(asked, { ...visible, window: { from: 401_000, to: 409_000 } })).toBe(true);
    expect(isNear(asked, { ...visible, window: { from: 404_000, to: 406_000 } })).toBe(false);
    expect(isNear(asked, { ...visible, window: { from: 600_000, to: 610_000 } })).toBe(false);
    expect(isNear(asked, { ...visible, theme: 'dark' })).toBe(false);
  });
});
