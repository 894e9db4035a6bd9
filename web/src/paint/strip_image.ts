// Rows of columns as an image: a pixel wide for each column, as high as on the screen. Strips in the
// same row lie side by side in the image. Moving and zooming only places the image anew.

import { NO_COLOR, type StripLayer } from '../api/scene';
import { pack, rgba } from '../lib/color';

export interface StripLook {
  /** Device pixels of a unit of the scene, downwards. */
  readonly scaleY: number;
  /** Device pixels of a pixel of the page. */
  readonly pixel: number;
  /** The colours that numbers of the layer stand for. */
  readonly palette: Uint32Array;
}

/** Strips below each other that cover the same time: they are placed at once. */
export interface Block {
  /** In the scene. */
  readonly x0: number;
  readonly x1: number;
  readonly nColumns: number;
  /** The first column of the image. */
  readonly column: number;
  /** Rows of the image, one after the last too. */
  readonly from: number;
  readonly to: number;
}

export interface StripImage {
  readonly width: number;
  readonly height: number;
  /** The row of the screen on which the image begins, when the scene is not scrolled. */
  readonly top: number;
  readonly pixels: Uint32Array<ArrayBuffer>;
  readonly blocks: readonly Block[];
}

/** The parts of a column fill it when their shares have this sum. */
const WHOLE = 255;

/** The sides of a box on whole pixels, at least one apart. */
export function snapped(first: number, last: number): [number, number] {
  const [a, b] = [Math.floor(first + 0.5), Math.floor(last + 0.5)];
  const low = Math.min(a, b);
  return [low, Math.max(a, b, low + 1)];
}

export function stripImage(layer: StripLayer, look: StripLook): StripImage {
  const rows = rowsOf(layer, look);
  const top = rows.reduce((least, { from }) => Math.min(least, from), Infinity);
  const bottom = rows.reduce((most, { to }) => Math.max(most, to), -Infinity);
  const height = Math.max(bottom - top, 0);
  const columns = firstColumns(rows, top, height);
  const width = rows.reduce((most, { n }, place) => Math.max(most, columns[place] + n), 0);
  if (width === 0 || height === 0) {
    return { width: 0, height: 0, top: 0, pixels: new Uint32Array(0), blocks: [] };
  }
  const pixels = new Uint32Array(width * height);
  const painter = new ColumnPainter(layer, look);
  for (const [place, { mark, from, to, n, isThin }] of rows.entries()) {
    const first = layer.firstColumn[mark];
    const high = to - from;
    let at = (from - top) * width + columns[place];
    let shown = -1;
    for (let column = 0; column < n; column += 1, at += 1) {
      const run = layer.run[first + column];
      // Columns that look alike are copied.
      if (run === shown) copyColumn(pixels, at, width, high);
      else painter.paint(pixels, at, { width, high, isThin }, run);
      shown = run;
    }
  }
  return { width, height, top, pixels, blocks: blocksOf(layer, rows, columns, top) };
}

interface Row {
  readonly mark: number;
  readonly from: number;
  readonly to: number;
  readonly n: number;
  readonly isThin: boolean;
}

function rowsOf(layer: StripLayer, { scaleY, pixel }: StripLook): Row[] {
  const rows: Row[] = [];
  const [thin] = layer.rules;
  for (let mark = 0; mark < layer.n; mark += 1) {
    const n = layer.nColumns[mark];
    const [first, last] = [layer.y0[mark] * scaleY, layer.y1[mark] * scaleY];
    const [from, to] = snapped(first, last);
    const isThin = Math.abs(last - first) < thin * pixel;
    if (n > 0) rows.push({ mark, from, to, n, isThin });
  }
  return rows;
}

/** Where the columns of each row begin in the image: after those of rows that share pixels with it. */
function firstColumns(rows: readonly Row[], top: number, height: number): Uint32Array {
  const columns = new Uint32Array(rows.length);
  const filled = new Uint32Array(height);
  for (const [place, { from, to, n }] of rows.entries()) {
    const own = filled.subarray(from - top, to - top);
    columns[place] = Math.max(...own);
    own.fill(columns[place] + n);
  }
  return columns;
}

function blocksOf(
  layer: StripLayer,
  rows: readonly Row[],
  columns: Uint32Array,
  top: number,
): Block[] {
  const blocks: Block[] = [];
  for (const [place, { mark, from, to, n }] of rows.entries()) {
    const [x0, x1, column] = [layer.x0[mark], layer.x1[mark], columns[place]];
    const last = blocks.at(-1);
    const goesOn =
      last !== undefined &&
      last.x0 === x0 &&
      last.x1 === x1 &&
      last.nColumns === n &&
      last.column === column &&
      last.to <= from - top;
    if (goesOn) blocks[blocks.length - 1] = { ...last, to: to - top };
    else blocks.push({ x0, x1, nColumns: n, column, from: from - top, to: to - top });
  }
  return blocks;
}

function copyColumn(pixels: Uint32Array, at: number, width: number, high: number): void {
  for (let row = 0, place = at; row < high; row += 1, place += width) {
    pixels[place] = pixels[place - 1];
  }
}

interface Size {
  /** Of the image. */
  readonly width: number;
  /** Of the column. */
  readonly high: number;
  readonly isThin: boolean;
}

/** Paints the columns of a layer, from top to bottom. */
class ColumnPainter {
  readonly #layer: StripLayer;
  readonly #look: StripLook;
  readonly #colors: readonly (readonly [number, number, number, number])[];

  constructor(layer: StripLayer, look: StripLook) {
    this.#layer = layer;
    this.#look = look;
    this.#colors = Array.from(look.palette, (color) => rgba(color));
  }

  paint(pixels: Uint32Array, at: number, { width, high, isThin }: Size, run: number): void {
    const { firstPart, rare, aggregate, rules } = this.#layer;
    const [, , rareShare, rareLeast, rareMost, foot] = rules;
    const { palette, pixel } = this.#look;
    const [part, end] = [firstPart[run], firstPart[run + 1]];
    const rarest = rare[run];
    const mark = Math.min(Math.max(high * rareShare, rareLeast * pixel), rareMost * pixel);
    const footAt = high - (aggregate[run] === 0 ? 0 : foot * pixel);
    for (let row = 0, place = at; row < high; row += 1, place += width) {
      const middle = row + 0.5;
      const below = (rows: number) => ((high - rows) / high) * WHOLE;
      if (isThin) pixels[place] = this.#mean(part, end, below(row + 1), below(row));
      else if (rarest !== NO_COLOR && middle < mark) pixels[place] = palette[rarest];
      else pixels[place] = this.#partAt(part, end, below(middle), middle > footAt);
    }
  }

  /** The part at a level of a column, darker at the foot. */
  #partAt(first: number, end: number, level: number, isFoot: boolean): number {
    const { color, share, rules } = this.#layer;
    const footShade = rules[6];
    let above = 0;
    for (let part = first; part < end; part += 1) {
      above += share[part];
      if (level >= above) continue;
      if (!isFoot) return this.#look.palette[color[part]];
      const [red, green, blue, alpha] = this.#colors[color[part]] ?? [0, 0, 0, 0];
      const dark = (byte: number) => Math.round(byte * (1 - footShade));
      return pack(dark(red), dark(green), dark(blue), alpha);
    }
    return 0;
  }

  /** What a pixel sees of the parts of a column: the mean of those between two levels, so that none is lost in thin rows. */
  #mean(first: number, end: number, from: number, to: number): number {
    const { color, share, rules } = this.#layer;
    let [red, green, blue, alpha] = [0, 0, 0, 0];
    for (let part = first, below = 0; part < end && below < to; part += 1) {
      const above = below + share[part];
      const amount = Math.min(above, to) - Math.max(below, from);
      // A pixel in the middle of one part has its colour.
      const own = this.#look.palette[color[part]];
      if (below <= from && above >= to) return own;
      if (amount > 0) {
        const [r, g, b, a] = this.#colors[color[part]] ?? [0, 0, 0, 0];
        red += amount * r * a;
        green += amount * g * a;
        blue += amount * b * a;
        alpha += amount * a;
      }
      below = above;
    }
    if (alpha === 0) return 0;
    const [, step] = rules;
    const channel = (sum: number) => Math.min(Math.round(sum / alpha / step) * step, WHOLE);
    const opacity = Math.round(alpha / (to - from));
    return pack(channel(red), channel(green), channel(blue), opacity);
  }
}
