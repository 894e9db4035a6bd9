// Marks as vertices: four to a mark, each with all that is known of it.

import { ARROW } from '../api/generated';
import type {
  ArrowLayer,
  GlyphLayer,
  LineLayer,
  PolygonLayer,
  RectLayer,
  StripLayer,
} from '../api/scene';
import { bandsOf } from './bands';
import { trapezoids } from './trapezoids';

export interface Attribute {
  readonly components: number;
  readonly type: 'f32' | 'u32' | 'color';
}

/** Attributes in the order of their locations; each component has four bytes, a colour has four. */
export type Layout = readonly Attribute[];

const f32 = (components: number): Attribute => ({ components, type: 'f32' });
const u32 = (components: number): Attribute => ({ components, type: 'u32' });
const COLOR: Attribute = { components: 1, type: 'color' };

export const RECT_LAYOUT: Layout = [f32(4), COLOR, COLOR, u32(1)];
/** A place, and a run of something: its first and how many. */
export const RUN_LAYOUT: Layout = [f32(4), u32(2)];
export const STROKE_LAYOUT: Layout = [f32(4), COLOR, f32(1), u32(1)];
export const GLYPH_LAYOUT: Layout = [f32(2), COLOR, f32(1), u32(1)];
export const FILL_LAYOUT: Layout = [f32(2), COLOR];

export function wordsOf(layout: Layout): number {
  return layout.reduce((sum, attribute) => sum + attribute.components, 0);
}

/** Quads in the making. */
export class Quads {
  private floats: Float32Array;
  private words: Uint32Array;
  private at = 0;

  constructor(
    readonly layout: Layout,
    expected: number,
  ) {
    const buffer = new ArrayBuffer(Math.max(expected, 1) * 4 * wordsOf(layout) * 4);
    this.floats = new Float32Array(buffer);
    this.words = new Uint32Array(buffer);
  }

  get count(): number {
    return this.at / (4 * wordsOf(this.layout));
  }

  get bytes(): Uint32Array {
    return this.words.subarray(0, this.at);
  }

  float(value: number): this {
    this.floats[this.at] = value;
    this.at += 1;
    return this;
  }

  word(value: number): this {
    this.words[this.at] = value;
    this.at += 1;
    return this;
  }

  /** The vertex just written becomes the other three too. */
  repeat(): void {
    this.grow();
    const size = wordsOf(this.layout);
    const first = this.at - size;
    for (let copy = 1; copy < 4; copy += 1) {
      this.words.copyWithin(first + copy * size, first, this.at);
    }
    this.at = first + 4 * size;
    this.grow();
  }

  /** Room for one more quad at least. */
  grow(): void {
    const needed = this.at + 4 * wordsOf(this.layout);
    if (needed <= this.words.length) return;
    const larger = new Uint32Array(Math.max(needed, this.words.length * 2));
    larger.set(this.words);
    this.words = larger;
    this.floats = new Float32Array(larger.buffer);
  }
}

export function rectQuads(layer: RectLayer): Quads {
  const quads = new Quads(RECT_LAYOUT, layer.n + 1);
  const { x0, y0, x1, y1, fill, edge, pattern } = layer;
  for (let mark = 0; mark < layer.n; mark += 1) {
    quads.float(x0[mark]).float(y0[mark]).float(x1[mark]).float(y1[mark]);
    quads.word(fill[mark]).word(edge[mark]).word(pattern[mark]);
    quads.repeat();
  }
  return quads;
}

/** One quad for each row of rectangles. */
export function bandQuads(layer: RectLayer): Quads {
  const bands = bandsOf(layer);
  const quads = new Quads(RUN_LAYOUT, bands.length + 1);
  for (const { first, end, x1 } of bands) {
    quads.float(layer.x0[first]).float(layer.y0[first]).float(x1).float(layer.y1[first]);
    quads.word(first).word(end - first);
    quads.repeat();
  }
  return quads;
}

export function stripQuads(layer: StripLayer): Quads {
  const quads = new Quads(RUN_LAYOUT, layer.n + 1);
  const { x0, y0, x1, y1, firstColumn, nColumns } = layer;
  for (let mark = 0; mark < layer.n; mark += 1) {
    if (nColumns[mark] === 0) continue;
    quads.float(x0[mark]).float(y0[mark]).float(x1[mark]).float(y1[mark]);
    quads.word(firstColumn[mark]).word(nColumns[mark]);
    quads.repeat();
  }
  return quads;
}

const HEAD_AND_DOT = ARROW.head | ARROW.dot;
const DASHED = 4;

export function lineQuads(layer: LineLayer): Quads {
  const quads = new Quads(STROKE_LAYOUT, layer.x.length + 1);
  for (let mark = 0; mark < layer.n; mark += 1) {
    const kind = layer.dashed[mark] === 0 ? 0 : DASHED;
    addPath(quads, layer, mark, false, layer.color[mark], layer.width[mark], kind);
  }
  return quads;
}

export function arrowQuads(layer: ArrowLayer): Quads {
  const quads = new Quads(STROKE_LAYOUT, layer.n + 1);
  const { x0, y0, x1, y1, color, width, ends } = layer;
  for (let mark = 0; mark < layer.n; mark += 1) {
    quads.float(x0[mark]).float(y0[mark]).float(x1[mark]).float(y1[mark]);
    quads
      .word(color[mark])
      .float(width[mark])
      .word(ends[mark] & HEAD_AND_DOT);
    quads.repeat();
  }
  return quads;
}

/** Where two slanted outlines meet, the page must not shine through: they get a thin edge. */
const SEAM_WIDTH = 0.5;
const OPAQUE = 255;

export function polygonEdgeQuads(layer: PolygonLayer): Quads {
  const quads = new Quads(STROKE_LAYOUT, layer.x.length + 1);
  for (let mark = 0; mark < layer.n; mark += 1) {
    if (layer.edge[mark] >>> 24 > 0) {
      addPath(quads, layer, mark, true, layer.edge[mark], 1, 0);
    } else if (layer.fill[mark] >>> 24 === OPAQUE) {
      addPath(quads, layer, mark, true, layer.fill[mark], SEAM_WIDTH, 0);
    }
  }
  return quads;
}

interface Paths {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly firstPoint: Uint32Array;
}

function addPath(
  quads: Quads,
  paths: Paths,
  mark: number,
  closed: boolean,
  color: number,
  width: number,
  kind: number,
): void {
  const [first, end] = [paths.firstPoint[mark], paths.firstPoint[mark + 1]];
  const nSegments = end - first - (closed ? 0 : 1);
  for (let segment = 0; segment < nSegments; segment += 1) {
    const from = first + segment;
    const to = from + 1 < end ? from + 1 : first;
    quads.float(paths.x[from]).float(paths.y[from]).float(paths.x[to]).float(paths.y[to]);
    quads.word(color).float(width).word(kind);
    quads.repeat();
  }
}

export function polygonQuads(layer: PolygonLayer): Quads {
  const quads = new Quads(FILL_LAYOUT, layer.x.length + 1);
  for (let mark = 0; mark < layer.n; mark += 1) {
    const fill = layer.fill[mark];
    if (fill >>> 24 === 0) continue;
    const [first, end] = [layer.firstPoint[mark], layer.firstPoint[mark + 1]];
    const pieces = trapezoids(layer.x.subarray(first, end), layer.y.subarray(first, end));
    for (const { left, right, leftTop, rightTop, leftBottom, rightBottom } of pieces) {
      quads.grow();
      quads.float(left).float(leftTop).word(fill);
      quads.float(right).float(rightTop).word(fill);
      quads.float(left).float(leftBottom).word(fill);
      quads.float(right).float(rightBottom).word(fill);
    }
  }
  return quads;
}

export function glyphQuads(layer: GlyphLayer): Quads {
  const quads = new Quads(GLYPH_LAYOUT, layer.n + 1);
  for (let mark = 0; mark < layer.n; mark += 1) {
    quads.float(layer.x[mark]).float(layer.y[mark]).word(layer.color[mark]);
    quads.float(layer.size[mark]).word(layer.shape[mark]);
    quads.repeat();
  }
  return quads;
}
