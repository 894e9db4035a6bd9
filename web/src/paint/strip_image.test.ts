import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FAKE_STRIP, type FakeLayer, f32, fakeScene, u8, u16, u32 } from '../api/fake_scene';
import type { StripLayer } from '../api/scene';
import { rgba } from '../lib/color';
import { snapped, stripImage } from './strip_image';

function strips(layer: FakeLayer): StripLayer {
  const [decoded] = fakeScene([layer]).layers;
  if (decoded?.kind !== 'strips') throw new Error('no strips');
  return decoded;
}

const LOOK = { scaleY: 1, pixel: 1 };
const RED = 0xff0000ff;
const GREEN = 0xff00ff00;
const PALETTE = u32(RED, GREEN, 0x80ff0000);

it('has a column of pixels for each column, and the rare one on top', () => {
  const layer = strips(FAKE_STRIP);
  const { width, height, top, pixels, blocks } = stripImage(layer, {
    ...LOOK,
    palette: layer.palette,
  });
  expect([width, height, top]).toEqual([4, 10, 20]);
  expect(blocks).toEqual([{ x0: 0, x1: 120, nColumns: 4, column: 0, from: 0, to: 10 }]);
  const column = (at: number) => Array.from({ length: 10 }, (_, row) => pixels[row * 4 + at]);
  const [blue, green] = [0xff0000aa, 0xff00bb00];
  // The first part, 100 of 255, is below.
  expect(column(0).slice(0, 6)).toEqual(Array(6).fill(green));
  expect(column(0).slice(6, 9)).toEqual(Array(3).fill(blue));
  // The mark of what is rare is a fifth high, of another colour than the rest here.
  expect(column(1).slice(0, 2)).toEqual([green, green]);
  expect(column(2)).toEqual(column(1));
  expect(column(3)).toEqual(Array(10).fill(0));
});

it('darkens the foot of what hides single states, where there is room', () => {
  const layer = strips(FAKE_STRIP);
  const high = stripImage(layer, { ...LOOK, palette: layer.palette });
  const column = (at: number, image: typeof high) =>
    Array.from({ length: image.height }, (_, row) => image.pixels[row * image.width + at]);
  const [red, dark, green] = [0xff0000aa, 0xff00006f, 0xff00bb00];
  expect(column(0, high).slice(-3)).toEqual([red, red, dark]);
  expect(column(1, high).slice(-2)).toEqual([green, green]);
  const low = stripImage(layer, { ...LOOK, scaleY: 0.5, palette: layer.palette });
  expect(column(0, low).at(-1)).toBe(red);
});

it('places rows of the same time at once, and others on their own', () => {
  const columns = {
    ...FAKE_STRIP.columns,
    x0: f32(0, 0, 30),
    y0: f32(0, 12, 24),
    x1: f32(120, 120, 120),
    y1: f32(10, 22, 34),
    first_run: u32(0, 0, 0),
    n_columns: u32(4, 4, 3),
    pick_lo: u32(7, 8, 9),
    pick_hi: u32(0x20000000, 0x20000000, 0x20000000),
  };
  const layer = strips({ ...FAKE_STRIP, n: 3, columns });
  const { height, blocks } = stripImage(layer, { ...LOOK, palette: layer.palette });
  expect(height).toBe(34);
  expect(blocks).toEqual([
    { x0: 0, x1: 120, nColumns: 4, column: 0, from: 0, to: 22 },
    { x0: 30, x1: 120, nColumns: 3, column: 0, from: 24, to: 34 },
  ]);
});

it('has a place of its own for each strip of a row', () => {
  const columns = {
    ...FAKE_STRIP.columns,
    x0: f32(0, 60),
    y0: f32(0, 0),
    x1: f32(30, 120),
    y1: f32(10, 10),
    first_run: u32(0, 1),
    n_columns: u32(1, 2),
    pick_lo: u32(7, 8),
    pick_hi: u32(0x20000000, 0x20000000),
  };
  const layer = strips({ ...FAKE_STRIP, n: 2, columns });
  const { width, pixels, blocks } = stripImage(layer, { ...LOOK, palette: layer.palette });
  expect(width).toBe(3);
  expect(blocks).toEqual([
    { x0: 0, x1: 30, nColumns: 1, column: 0, from: 0, to: 10 },
    { x0: 60, x1: 120, nColumns: 2, column: 1, from: 0, to: 10 },
  ]);
  // The first has its second part in the middle, the other only one.
  const [red, green] = [0xff0000aa, 0xff00bb00];
  expect([...pixels.subarray(7 * width, 8 * width)]).toEqual([red, green, green]);
});

it('has nothing to show of a layer without columns', () => {
  const columns = { ...FAKE_STRIP.columns, n_columns: u32(0) };
  const image = stripImage(strips({ ...FAKE_STRIP, columns }), { ...LOOK, palette: PALETTE });
  expect([image.width, image.height, image.blocks]).toEqual([0, 0, []]);
});

const THIN = 6;

it('has in each pixel the part in its middle, or the mean of all that it covers in thin rows', () => {
  const part = fc.tuple(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 0, max: 2 }));
  const parts = fc
    .array(part, { minLength: 1, maxLength: 6 })
    .filter((list) => list.reduce((sum, [share]) => sum + share, 0) <= 255);
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 40 }), (list, high) => {
      const layer = strips({
        ...FAKE_STRIP,
        columns: {
          ...FAKE_STRIP.columns,
          y0: f32(0),
          y1: f32(high),
          n_columns: u32(1),
          repeat: u8(1),
          n_parts: u8(list.length),
          look: u8(0),
          rare: u16(),
          color: u8(...list.map(([, color]) => color)),
          share: u8(...list.map(([share]) => share)),
          palette: PALETTE,
        },
      });
      const { pixels } = stripImage(layer, { ...LOOK, palette: PALETTE });
      // What a level of the column shows, from below.
      const levels = list.flatMap(([share, color]) => Array<number>(share).fill(PALETTE[color]));
      const SAMPLES = 400;
      for (let row = 0; row < high; row += 1) {
        if (high >= THIN) {
          // Between two parts, either will do.
          const middle = ((high - row - 0.5) / high) * 255;
          const near = [middle - 0.01, middle + 0.01].map(
            (level) => levels[Math.floor(level)] ?? 0,
          );
          expect(near).toContain(pixels[row]);
          continue;
        }
        const sum = [0, 0, 0, 0];
        for (let sample = 0; sample < SAMPLES; sample += 1) {
          const level = ((high - row - (sample + 0.5) / SAMPLES) / high) * 255;
          const [red, green, blue, alpha] = rgba(levels[Math.floor(level)] ?? 0);
          [red * alpha, green * alpha, blue * alpha, alpha].forEach((amount, place) => {
            sum[place] = (sum[place] ?? 0) + amount;
          });
        }
        const [red, green, blue, alpha] = rgba(pixels[row]);
        const found = [red * alpha, green * alpha, blue * alpha, alpha];
        found.forEach((amount, place) => {
          const expected = (sum[place] ?? 0) / SAMPLES;
          const tolerance = place === 3 ? 2.5 : 4.5 * 255;
          expect(Math.abs(amount - expected)).toBeLessThanOrEqual(tolerance);
        });
      }
    }),
    { numRuns: 200 },
  );
});

it('puts the sides of boxes on whole pixels, at least one apart', () => {
  expect(snapped(1.4, 3.6)).toEqual([1, 4]);
  expect(snapped(3.6, 1.4)).toEqual([1, 4]);
  expect(snapped(2.1, 2.2)).toEqual([2, 3]);
});
