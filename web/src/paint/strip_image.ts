// Rows of columns as an image: a pixel wide for each column, as high as on the screen. Moving and
// zooming only places the image anew.

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
  /** Rows of the image, one after the last too. */
  readonly from: number;
  readonly to: number;
}

/** A part of a block whose columns sum up what is too fine to see. */
export interface Hatched {
  readonly x0: number;
  readonly x1: number;
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
  readonly hatched: readonly Hatched[];
}

/** Rows that are lower have no hatch: it would hide them. */
const LEAST_HATCHED = 6;
/** The mark of what is rare in a column is a fifth of its height, within these pixels. */
const RARE_MARK = { share: 0.2, least: 1, most: 3 };
/** The parts of a column fill it when their shares have this sum. */
const WHOLE = 255;

/** The sides of a box on whole pixels, at least one apart. */
export function snapped(first: number, last: number): [number, number] {
  const [a, b] = [Math.floor(first + 0.5), Math.floor(last + 0.5)];
  const low = Math.min(a, b);
  return [low, Math.max(a, b, low + 1)];
}

export function stripImage(layer: StripLayer, look: StripLook): StripImage {
  const rows = rowsOf(layer, look.scaleY);
  const top = rows.reduce((least, { from }) => Math.min(least, from), Infinity);
  const bottom = rows.reduce((most, { to }) => Math.max(most, to), -Infinity);
  const width = rows.reduce((most, { n }) => Math.max(most, n), 0);
  const height = Math.max(bottom - top, 0);
  if (width === 0 || height === 0) {
    return { width: 0, height: 0, top: 0, pixels: new Uint32Array(0), blocks: [], hatched: [] };
  }
  const pixels = new Uint32Array(width * height);
  const painter = new ColumnPainter(layer, look);
  const hatched: Hatched[] = [];
  for (const [place, { mark, from, to, n }] of rows.entries()) {
    // Of rows that are thinner than a pixel, the last is seen.
    const next = rows[place + 1];
    if (next?.from === from && next.to === to && next.n === n) continue;
    const first = layer.firstColumn[mark];
    const high = to - from;
    let at = (from - top) * width;
    let shown = -1;
    for (let column = 0; column < n; column += 1, at += 1) {
      const run = layer.run[first + column];
      // Columns that look alike are copied.
      if (run === shown) copyColumn(pixels, at, width, high);
      else painter.paint(pixels, at, width, high, run);
      shown = run;
    }
    if (high >= LEAST_HATCHED * look.pixel) addHatched(hatched, layer, mark, from - top, to - top);
  }
  return { width, height, top, pixels, blocks: blocksOf(layer, rows, top), hatched };
}

interface Row {
  readonly mark: number;
  readonly from: number;
  readonly to: number;
  readonly n: number;
}

function rowsOf(layer: StripLayer, scaleY: number): Row[] {
  const rows: Row[] = [];
  for (let mark = 0; mark < layer.n; mark += 1) {
    const n = layer.nColumns[mark];
    const [from, to] = snapped(layer.y0[mark] * scaleY, layer.y1[mark] * scaleY);
    if (n > 0) rows.push({ mark, from, to, n });
  }
  return rows;
}

function blocksOf(layer: StripLayer, rows: readonly Row[], top: number): Block[] {
  const blocks: Block[] = [];
  for (const { mark, from, to, n } of rows) {
    const [x0, x1] = [layer.x0[mark], layer.x1[mark]];
    const last = blocks.at(-1);
    const goesOn =
      last !== undefined &&
      last.x0 === x0 &&
      last.x1 === x1 &&
      last.nColumns === n &&
      last.to <= from - top;
    if (goesOn) blocks[blocks.length - 1] = { ...last, to: to - top };
    else blocks.push({ x0, x1, nColumns: n, from: from - top, to: to - top });
  }
  return blocks;
}

function addHatched(
  hatched: Hatched[],
  layer: StripLayer,
  mark: number,
  from: number,
  to: number,
): void {
  const [x0, x1] = [layer.x0[mark], layer.x1[mark]];
  const [first, n] = [layer.firstColumn[mark], layer.nColumns[mark]];
  const at = (column: number) => x0 + ((x1 - x0) * column) / n;
  const isSum = (column: number) => column < n && layer.aggregate[layer.run[first + column]] !== 0;
  let begin = -1;
  for (let column = 0; column <= n; column += 1) {
    if (isSum(column)) {
      if (begin < 0) begin = column;
    } else if (begin >= 0) {
      hatched.push({ x0: at(begin), x1: at(column), from, to });
      begin = -1;
    }
  }
}

function copyColumn(pixels: Uint32Array, at: number, width: number, high: number): void {
  for (let row = 0, place = at; row < high; row += 1, place += width) {
    pixels[place] = pixels[place - 1];
  }
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

  paint(pixels: Uint32Array, at: number, width: number, high: number, run: number): void {
    const { firstPart, rare } = this.#layer;
    const [part, end] = [firstPart[run], firstPart[run + 1]];
    const rarest = rare[run];
    const { share, least, most } = RARE_MARK;
    const { pixel } = this.#look;
    const mark = Math.min(Math.max(high * share, least * pixel), most * pixel);
    for (let row = 0, place = at; row < high; row += 1, place += width) {
      pixels[place] =
        rarest !== NO_COLOR && row + 0.5 < mark
          ? this.#look.palette[rarest]
          : this.#mean(part, end, ((high - row - 1) / high) * WHOLE, ((high - row) / high) * WHOLE);
    }
  }

  /** What a pixel sees of the parts of a column: the mean of those between two levels, so that none is lost in thin rows. */
  #mean(first: number, end: number, from: number, to: number): number {
    const { color, share } = this.#layer;
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
    const opacity = Math.round(alpha / (to - from));
    return pack(
      Math.round(red / alpha),
      Math.round(green / alpha),
      Math.round(blue / alpha),
      opacity,
    );
  }
}
