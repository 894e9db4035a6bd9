import { describe, expect, it } from 'vitest';
import { spanOf } from '../../lib/window';
import { SEEN } from './fake_seen';
import { isNear, questionFor, type Seen, serves } from './question';

const seen: Seen = { ...SEEN, rowHeight: 18, scrollY: 900 };

describe('the question', () => {
  it('has the scale of what is seen, and more around it', () => {
    const { question } = questionFor(seen);
    expect(question.width / spanOf(question.window)).toBeCloseTo(1000 / 10_000, 3);
    expect(question.window.from).toBeLessThan(395_001);
    expect(question.rows).toEqual({ height: 18, from: 512, to: 2048 });
    expect(questionFor({ ...seen, rowHeight: 'fit' }).question.rows).toEqual({ fit: 600 });
  });

  it('is not asked again while its answer shows all', () => {
    const asked = questionFor(seen);
    expect(serves(asked, seen)).toBe(true);
    expect(serves(asked, { ...seen, window: { from: 403_000, to: 413_000 } })).toBe(true);
    expect(serves(asked, { ...seen, scrollY: 1200 })).toBe(true);
  });

  it('is asked again when something else is seen', () => {
    const asked = questionFor(seen);
    const others: Partial<Seen>[] = [
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
    for (const other of others) expect(serves(asked, { ...seen, ...other })).toBe(false);
  });

  it('on its way is near enough for a moment', () => {
    const asked = questionFor(seen);
    expect(isNear(asked, { ...seen, window: { from: 401_000, to: 409_000 } })).toBe(true);
    expect(isNear(asked, { ...seen, window: { from: 404_000, to: 406_000 } })).toBe(false);
    expect(isNear(asked, { ...seen, window: { from: 600_000, to: 610_000 } })).toBe(false);
    expect(isNear(asked, { ...seen, theme: 'dark' })).toBe(false);
  });
});
