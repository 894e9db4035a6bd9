import { describe, expect, it } from 'vitest';
import { ApiError } from './error';
import {
  encodeScene,
  FAKE_STRIP,
  type FakeLayer,
  f32,
  fakeRects,
  fakeScene,
  u8,
  u32,
} from './fake_scene';
import { decodeScene, decodeTimeline, pickOf, titleOf } from './scene';

describe('scenes on the wire', () => {
  it('keep the numbers of every kind of layer', () => {
    const arrow: FakeLayer = {
      kind: 'arrows',
      n: 1,
      columns: {
        x0: f32(1),
        y0: f32(2),
        x1: f32(3),
        y1: f32(4),
        arrow_color: u32(0xff112233),
        width: f32(1.5),
        ends: u8(3),
        title: u32(2),
        pick_lo: u32(5),
        pick_hi: u32(0x10000001),
      },
    };
    const scene = fakeScene([fakeRects([0, 0, 10, 5, 9], [10, 0, 20, 5, 0]), FAKE_STRIP, arrow], {
      texts: ['one', 'two'],
      window: { from: 5, to: 105 },
    });
    const [rects, strips, arrows] = scene.layers;
    if (rects.kind !== 'rects' || strips.kind !== 'strips' || arrows.kind !== 'arrows') {
      throw new Error('the layers have changed their order');
    }
    expect([...rects.x1]).toEqual([10, 20]);
    expect([...strips.run]).toEqual([0, 1, 1, 2]);
    expect([...strips.rare]).toEqual([0xffff, 1, 0xffff]);
    expect([...strips.aggregate]).toEqual([1, 0, 0]);
    expect([...strips.firstPart]).toEqual([0, 2, 3, 3]);
    expect([...strips.share]).toEqual([100, 155, 255]);
    expect(arrows.width[0]).toBe(1.5);
    expect(scene.window).toEqual({ from: 5, to: 105 });
    expect(titleOf(scene, arrows, 0)).toBe('two');
    expect(titleOf(scene, rects, 0)).toBeNull();
  });

  it('have picks of 64 bits as texts', () => {
    const scene = fakeScene([fakeRects([0, 0, 1, 1, 0xffffffff], [0, 0, 1, 1, 0])]);
    expect(pickOf(scene.layers[0], 0)).toBe(((0x10000000n << 32n) | 0xffffffffn).toString());
    expect(pickOf(scene.layers[0], 1)).toBeNull();
  });

  it('are refused when they are torn, foreign or of another version', () => {
    const good = encodeScene([fakeRects([0, 0, 1, 1, 1])]);
    const changed = (at: number, value: number) => {
      const bytes = new Uint8Array(good.slice(0));
      bytes[at] = value;
      return bytes.buffer;
    };
    expect(() => decodeScene(good.slice(0, 8))).toThrow(ApiError);
    expect(() => decodeScene(changed(0, 0))).toThrow(/no scene/);
    expect(() => decodeScene(changed(4, 2))).toThrow(/version is 2/);
    expect(() => decodeScene(good.slice(0, 40))).toThrow(/header is cut off/);
    expect(() => decodeScene(good.slice(0, good.byteLength - 8))).toThrow(/column is cut off/);
  });

  it('are refused when their lists lead outside', () => {
    const columns = { ...FAKE_STRIP.columns, n_columns: u32(5) };
    expect(() => fakeScene([{ ...FAKE_STRIP, columns }])).toThrow(/columns that are not there/);
    const endless = { ...FAKE_STRIP.columns, n_parts: u8(2, 1, 1) };
    expect(() => fakeScene([{ ...FAKE_STRIP, columns: endless }])).toThrow(/parts that are not/);
    expect(() => fakeScene([{ kind: 'clouds', n: 1, columns: {} }])).toThrow(/unknown kind clouds/);
    const { fill: _, ...rest } = fakeRects([0, 0, 1, 1, 1]).columns;
    expect(() => fakeScene([{ kind: 'rects', n: 1, columns: rest }])).toThrow(/no proper fill/);
  });

  it('of timelines have rows', () => {
    const row = { nodes: [1], name: 'a', y0: 0, y1: 10 };
    const more = { window: { from: 0, to: 9 }, rows: [row], scales: [], n_rows: 12, height: 10 };
    expect(decodeTimeline(encodeScene([], more)).nRows).toBe(12);
    expect(() => decodeTimeline(encodeScene([]))).toThrow(/needs its window/);
  });
});
