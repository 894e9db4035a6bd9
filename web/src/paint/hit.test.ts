import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAKE_STRIP, type FakeLayer, f32, fakeRects, fakeScene, u8, u32 } from '../api/fake_scene';
import { HitTest } from './hit';
import type { Transform } from './transform';

const PLAIN: Transform = { scaleX: 1, shiftX: 0, scaleY: 1, shiftY: 0 };
const entity = (low: number) => ((0x10000000n << 32n) | BigInt(low)).toString();

describe('boxes under the pointer', () => {
  it('are those that plain search finds', () => {
    const number = (max: number) => fc.integer({ min: 0, max });
    const boxes = fc.array(fc.tuple(number(100), number(40), number(30), number(12)), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(boxes, number(130), number(50), (boxes, x, y) => {
        const rects = boxes.map(([x0, y0, w, h], place) => [x0, y0, x0 + w + 1, y0 + h, place + 1]);
        const found = new HitTest(fakeScene([fakeRects(...rects)])).at(x, y, PLAIN);
        const under = rects.filter(([x0, y0, x1, y1]) => x0 <= x && x < x1 && y0 <= y && y < y1);
        const last = under.at(-1);
        expect(found?.pick ?? null).toBe(last === undefined ? null : entity(last[4]));
      }),
    );
  });

  it('lie where the view puts them', () => {
    const hits = new HitTest(fakeScene([fakeRects([50, 10, 60, 20, 3])]));
    const view = { scaleX: 4, shiftX: -180, scaleY: 1, shiftY: -8 };
    expect(hits.at(25, 5, view)?.pick).toBe(entity(3));
    expect(hits.at(15, 5, view)).toBeNull();
  });

  it('are found in views whose values grow upwards', () => {
    const view = { x0: 0, y0: 40, x1: 100, y1: 0 };
    const hits = new HitTest(fakeScene([fakeRects([0, 0, 9, 20, 1], [0, 20, 9, 40, 2])], { view }));
    const upwards = { scaleX: 1, shiftX: 0, scaleY: -1, shiftY: 40 };
    expect(hits.at(5, 5, upwards)?.pick).toBe(entity(2));
    expect(hits.at(5, 35, upwards)?.pick).toBe(entity(1));
  });

  it('are at least a pixel wide', () => {
    const hits = new HitTest(fakeScene([fakeRects([50, 10, 50, 20, 3])]));
    expect(hits.at(50.5, 15, PLAIN)?.pick).toBe(entity(3));
  });

  it('without a pick let through what is below', () => {
    const hits = new HitTest(fakeScene([fakeRects([0, 0, 9, 9, 1], [0, 0, 9, 9, 0])]));
    expect(hits.at(5, 5, PLAIN)?.pick).toBe(entity(1));
  });

  it('are found by their picks', () => {
    const hits = new HitTest(fakeScene([fakeRects([0, 0, 9, 9, 1], [9, 0, 12, 9, 2])]));
    const box = { x0: 9, y0: 0, x1: 12, y1: 9 };
    expect(hits.placesOf(new Set([entity(2)]))).toEqual([{ kind: 'rects', box }]);
    expect(hits.placesOf(new Set())).toEqual([]);
  });
});

describe('strips under the pointer', () => {
  const hits = new HitTest(fakeScene([FAKE_STRIP]));

  it('tell the column and the colour', () => {
    expect(hits.at(10, 29, PLAIN)).toMatchObject({ box: { x0: 0, x1: 30 }, color: 0xff0000aa });
    expect(hits.at(10, 21, PLAIN)?.color).toBe(0xff00bb00);
    expect(hits.at(31, 25, PLAIN)?.box).toEqual({ x0: 30, y0: 20, x1: 60, y1: 30 });
    expect(hits.at(61, 25, PLAIN)).toMatchObject({ box: { x0: 60, x1: 90 }, color: 0xff00bb00 });
    expect(hits.at(91, 25, PLAIN)?.color).toBeNull();
  });
});

describe('thin marks under the pointer', () => {
  const arrow: FakeLayer = {
    kind: 'arrows',
    n: 2,
    columns: {
      x0: f32(0, 0),
      y0: f32(0, 30),
      x1: f32(100, 100),
      y1: f32(30, 30),
      arrow_color: u32(1, 2),
      width: f32(1, 1),
      ends: u8(3, 3),
      title: u32(0, 0),
      pick_lo: u32(5, 6),
      pick_hi: u32(0x10000000, 0x10000000),
    },
  };
  const glyph: FakeLayer = {
    kind: 'glyphs',
    n: 1,
    columns: {
      x: f32(50),
      y: f32(5),
      shape: u8(0),
      size: f32(6),
      glyph_color: u32(1),
      title: u32(0),
      pick_lo: u32(9),
      pick_hi: u32(0x10000000),
    },
  };

  it('are caught from a few pixels away, the nearest first', () => {
    const hits = new HitTest(fakeScene([arrow]));
    expect(hits.at(50, 17, PLAIN)?.pick).toBe(entity(5));
    expect(hits.at(50, 28, PLAIN)?.pick).toBe(entity(6));
    expect(hits.at(50, 22, PLAIN)).toBeNull();
  });

  it('of events hang below their point', () => {
    const hits = new HitTest(fakeScene([glyph]));
    expect(hits.at(50, 14, PLAIN)?.pick).toBe(entity(9));
    expect(hits.at(50, 0, PLAIN)).toBeNull();
  });
});
