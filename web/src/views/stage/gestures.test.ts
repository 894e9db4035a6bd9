import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyMeaning, pinched, wheelMeaning } from './gestures';

const LENGTH = 1_000_000;
const wheel = {
  deltaX: 0,
  deltaY: 100,
  deltaMode: 0,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
};

describe('the wheel', () => {
  it('scrolls rows when they overflow, else zooms', () => {
    expect(wheelMeaning(wheel, true)).toEqual({ kind: 'scroll', pixels: 100 });
    expect(wheelMeaning(wheel, false).kind).toBe('zoom');
    expect(wheelMeaning({ ...wheel, deltaMode: 1, deltaY: 3 }, true)).toEqual({
      kind: 'scroll',
      pixels: 48,
    });
  });

  it('zooms with Ctrl and pans with Shift, whatever overflows', () => {
    const out = wheelMeaning({ ...wheel, ctrlKey: true }, true);
    expect(out.kind === 'zoom' && out.factor > 1).toBe(true);
    const into = wheelMeaning({ ...wheel, deltaY: -100, metaKey: true }, true);
    expect(into.kind === 'zoom' && into.factor < 1).toBe(true);
    expect(wheelMeaning({ ...wheel, shiftKey: true }, true)).toEqual({ kind: 'pan', pixels: 100 });
    expect(wheelMeaning({ ...wheel, deltaX: 200 }, true)).toEqual({ kind: 'pan', pixels: 200 });
  });
});

describe('two fingers', () => {
  it('keep the times under them', () => {
    const places = fc.integer({ min: 0, max: 1000 });
    const fingers = fc.tuple(places, places).filter(([a, b]) => Math.abs(a - b) >= 50);
    const window = { from: 400_000, to: 500_000 };
    fc.assert(
      fc.property(fingers, fingers, ([a, b], [c, d]) => {
        const at = (x: number) => ({ x, y: 0 });
        const sameOrder = a < b === c < d;
        const [first, second] = sameOrder ? [c, d] : [d, c];
        const before = [at(a), at(b)] as const;
        const after = pinched(window, 1000, before, [at(first), at(second)], LENGTH);
        if (after.from === 0 || after.to === LENGTH) return;
        const under = (x: number, { from, to }: typeof window) => from + (x / 1000) * (to - from);
        expect(Math.abs(under(a, window) - under(first, after))).toBeLessThan(2);
        expect(Math.abs(under(b, window) - under(second, after))).toBeLessThan(2);
      }),
    );
  });
});

describe('keys', () => {
  const key = (key: string, more = {}) =>
    keyMeaning(
      { key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more },
      LENGTH,
    );
  const changed = (name: string) => {
    const meaning = key(name);
    if (meaning?.kind !== 'window') throw new Error(`${name} does not change the window`);
    return meaning.change({ from: 400_000, to: 500_000 }, 0.5);
  };

  it('zoom and pan', () => {
    expect(changed('w')).toEqual({ from: 412_500, to: 487_500 });
    expect(changed('+')).toEqual(changed('W'));
    expect(changed('s').from).toBeLessThan(400_000);
    expect(changed('d')).toEqual({ from: 412_000, to: 512_000 });
    expect(changed('ArrowLeft')).toEqual({ from: 388_000, to: 488_000 });
  });

  it('do the rest of the table', () => {
    expect(key(']')).toEqual({ kind: 'step', along: 'row', step: 1 });
    expect(key('P')).toEqual({ kind: 'step', along: 'cause', step: -1 });
    expect(key('j')).toEqual({ kind: 'step', along: 'path', step: 1 });
    expect(key('l')).toEqual({ kind: 'step', along: 'length', step: 1 });
    expect(key('L', { shiftKey: true })).toEqual({ kind: 'step', along: 'length', step: -1 });
    expect(key('f')).toEqual({ kind: 'fit' });
    expect(key('M')).toEqual({ kind: 'mark' });
    expect(key('Escape')).toEqual({ kind: 'clear' });
    expect(key('q')).toBeNull();
  });

  it('leave those with Ctrl to the page', () => {
    expect(key('f', { ctrlKey: true })).toBeNull();
  });
});
