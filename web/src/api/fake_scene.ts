// Scenes as the server would send them, for tests.

import { decodeScene, type Scene } from './scene';

export type FakeColumn = Float32Array | Uint32Array | Uint16Array | Uint8Array;

export interface FakeLayer {
  readonly kind: string;
  readonly n: number;
  readonly columns: Readonly<Record<string, FakeColumn>>;
}

export const f32 = (...numbers: number[]) => new Float32Array(numbers);
export const u32 = (...numbers: number[]) => new Uint32Array(numbers);
export const u16 = (...numbers: number[]) => new Uint16Array(numbers);
export const u8 = (...numbers: number[]) => new Uint8Array(numbers);

function typeOf(column: FakeColumn): string {
  if (column instanceof Float32Array) return 'f32';
  return `u${column.BYTES_PER_ELEMENT * 8}`;
}

const roundedUp = (bytes: number) => Math.ceil(bytes / 8) * 8;

export function encodeScene(layers: readonly FakeLayer[], more: object = {}): ArrayBuffer {
  const bodies: { offset: number; column: FakeColumn }[] = [];
  let offset = 0;
  const place = (column: FakeColumn) => {
    const at = roundedUp(offset);
    bodies.push({ offset: at, column });
    offset = at + column.byteLength;
    return [typeOf(column), at, column.length];
  };
  const described = layers.map(({ kind, n, columns }) => ({
    kind,
    n,
    columns: Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, place(column)]),
    ),
  }));
  const header = {
    schema: 'onca-scene/1',
    view: { x0: 0, y0: 0, x1: 100, y1: 40 },
    exact: true,
    notes: [],
    ms: 1,
    legend: [],
    texts: [],
    ...more,
    layers: described,
  };
  const bare = new TextEncoder().encode(JSON.stringify(header));
  const length = roundedUp(12 + bare.length) - 12;
  const bytes = new Uint8Array(12 + length + offset);
  bytes.set(new TextEncoder().encode('ONCS'));
  const view = new DataView(bytes.buffer);
  view.setUint32(4, 1, true);
  view.setUint32(8, length, true);
  bytes.fill(0x20, 12, 12 + length);
  bytes.set(bare, 12);
  for (const { offset: at, column } of bodies) {
    bytes.set(
      new Uint8Array(column.buffer, column.byteOffset, column.byteLength),
      12 + length + at,
    );
  }
  return bytes.buffer;
}

export function fakeScene(layers: readonly FakeLayer[], more: object = {}): Scene {
  return decodeScene(encodeScene(layers, more));
}

/** Rectangles `[x0, y0, x1, y1, pick]`, with the pick as the lower half. */
export function fakeRects(...rects: readonly (readonly number[])[]): FakeLayer {
  const column = (place: number) => rects.map((rect) => rect[place]);
  return {
    kind: 'rects',
    n: rects.length,
    columns: {
      x0: f32(...column(0)),
      y0: f32(...column(1)),
      x1: f32(...column(2)),
      y1: f32(...column(3)),
      fill: u32(...rects.map((_, place) => 0xff000000 + place)),
      edge: u32(...rects.map(() => 0)),
      pattern: u8(...rects.map(() => 0)),
      title: u32(...rects.map(() => 0)),
      pick_lo: u32(...column(4)),
      pick_hi: u32(...rects.map((rect) => (rect[4] === 0 ? 0 : 0x10000000))),
    },
  };
}

/** One strip from x 0 to 100 and y 20 to 30: three columns, the first of two parts. */
export const FAKE_STRIP: FakeLayer = {
  kind: 'strips',
  n: 1,
  columns: {
    x0: f32(0),
    y0: f32(20),
    x1: f32(120),
    y1: f32(30),
    first_run: u32(0),
    n_columns: u32(4),
    pick_lo: u32(7),
    pick_hi: u32(0x20000000),
    repeat: u8(1, 2, 1),
    n_parts: u8(2, 1, 0),
    look: u8(1, 2, 0),
    rare: u16(1),
    color: u8(0, 1, 1),
    share: u8(100, 155, 255),
    palette: u32(0xff0000aa, 0xff00bb00),
    rules: f32(5.9, 4, 0.2, 1, 3, 1, 0.35),
  },
};
