// Draws any scene on a canvas without a graphics card. It is there at once, where a context of the card
// can take half a second, and in browsers that have none. `shaders.ts` draws the same.

import { ARROW, PATTERN, SHAPE } from '../api/generated';
import type {
  ArrowLayer,
  GlyphLayer,
  Layer,
  LineLayer,
  PolygonLayer,
  RectLayer,
  Scene,
  StripLayer,
} from '../api/scene';
import { cssColor, mixed, pack, rgba } from '../lib/color';
import { FADE, type Frame, fitCanvas, HATCH_OPACITY, HATCH_STEP, type Painter } from './painter';
import { type CanvasStatistics, statisticsOf } from './statistics';
import { type StripImage, snapped, stripImage } from './strip_image';

export class FlatPainter implements Painter {
  readonly statistics: CanvasStatistics;
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  #scene: Scene | null = null;
  #pixelRatio = 1;
  readonly #images = new Map<StripLayer, KeptImage>();

  constructor(canvas: HTMLCanvasElement, name: string) {
    const context = canvas.getContext('2d', { alpha: false });
    if (context === null) throw new Error('This browser gives the page no canvas to draw on.');
    this.#canvas = canvas;
    this.#context = context;
    this.statistics = statisticsOf(name);
  }

  resize(width: number, height: number, pixelRatio: number): void {
    this.#pixelRatio = pixelRatio;
    fitCanvas(this.#canvas, width, height, pixelRatio);
  }

  load(scene: Scene | null): void {
    this.#scene = scene;
    this.#images.clear();
  }

  draw(frame: Frame): void {
    const { width, height } = this.#canvas;
    const pen = new Pen(this.#context, frame, [width, height], this.#pixelRatio);
    pen.clear();
    const layers = this.#scene?.layers ?? [];
    for (const layer of layers) this.#drawLayer(pen, layer);
    this.statistics.drawCalls = layers.length;
    this.statistics.vertices = layers.reduce((sum, { n }) => sum + n, 0);
  }

  #drawLayer(pen: Pen, layer: Layer): void {
    switch (layer.kind) {
      case 'rects':
        drawRects(pen, layer);
        break;
      case 'strips':
        drawStrips(pen, this.#imageOf(pen, layer));
        break;
      case 'lines':
        drawLines(pen, layer);
        break;
      case 'arrows':
        drawArrows(pen, layer);
        break;
      case 'polygons':
        drawPolygons(pen, layer);
        break;
      case 'glyphs':
        drawGlyphs(pen, layer);
        break;
      case 'labels':
        // Texts lie on a canvas of their own.
        break;
    }
  }

  #imageOf(pen: Pen, layer: StripLayer): KeptImage {
    const look = JSON.stringify([pen.scaleY, pen.pixel, pen.background, pen.emphasis]);
    const kept = this.#images.get(layer);
    if (kept?.look === look) return kept;
    const palette = layer.palette.map((color) => pen.faded(color, color));
    const image = stripImage(layer, { scaleY: pen.scaleY, pixel: pen.pixel, palette });
    const made = { look, image, canvas: canvasOf(image) };
    this.#images.set(layer, made);
    return made;
  }

  dispose(): void {
    this.load(null);
  }
}

interface KeptImage {
  /** What it was painted for. */
  readonly look: string;
  readonly image: StripImage;
  readonly canvas: OffscreenCanvas | null;
}

function canvasOf({ width, height, pixels }: StripImage): OffscreenCanvas | null {
  if (width === 0) return null;
  const canvas = new OffscreenCanvas(width, height);
  const bytes = new Uint8ClampedArray(pixels.buffer);
  canvas.getContext('2d')?.putImageData(new ImageData(bytes, width, height), 0, 0);
  return canvas;
}

/** Where things are on a canvas, in device pixels, and in which colours. */
class Pen {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly shiftX: number;
  readonly shiftY: number;
  readonly background: number;
  readonly emphasis: number | null;
  readonly #colors = new Map<number, string>();
  #hatch: CanvasPattern | null = null;

  constructor(
    readonly context: CanvasRenderingContext2D,
    { transform, background, emphasis }: Frame,
    readonly size: readonly [number, number],
    readonly pixel: number,
  ) {
    this.scaleX = transform.scaleX * pixel;
    this.scaleY = transform.scaleY * pixel;
    this.shiftX = transform.shiftX * pixel;
    this.shiftY = transform.shiftY * pixel;
    this.background = background;
    this.emphasis = emphasis;
    context.imageSmoothingEnabled = false;
    context.lineCap = 'round';
    context.lineJoin = 'round';
  }

  clear(): void {
    this.context.fillStyle = cssColor(this.background);
    this.context.fillRect(0, 0, ...this.size);
  }

  x(place: number): number {
    return place * this.scaleX + this.shiftX;
  }
  y(place: number): number {
    return place * this.scaleY + this.shiftY;
  }

  /** A colour for the canvas. */
  css(color: number): string {
    const known = this.#colors.get(color);
    if (known !== undefined) return known;
    const css = cssColor(color);
    this.#colors.set(color, css);
    return css;
  }

  /** A colour of a mark, faded unless the mark has the colour that stays. */
  faded(color: number, mark: number): number {
    const isSame = this.emphasis === null || (mark & 0xffffff) === (this.emphasis & 0xffffff);
    if (isSame) return color;
    const [red, green, blue] = rgba(mixed(color, this.background, FADE));
    return pack(red, green, blue, color >>> 24);
  }

  /** Is a box to be seen? */
  sees(x0: number, x1: number, y0: number, y1: number): boolean {
    return x1 > 0 && x0 < this.size[0] && y1 > 0 && y0 < this.size[1];
  }

  /** Fine slanted lines of the background, which move with the marks. */
  hatch(): CanvasPattern | null {
    this.#hatch ??= hatchOf(this);
    return this.#hatch;
  }

  stroke(color: number, width: number): void {
    this.context.strokeStyle = this.css(color);
    this.context.lineWidth = width * this.pixel;
    this.context.stroke();
  }
}

function hatchOf(pen: Pen): CanvasPattern | null {
  const step = Math.max(Math.round(HATCH_STEP * pen.pixel), 2);
  const tile = new OffscreenCanvas(step, step);
  const [red, green, blue] = rgba(pen.background);
  const pixels = new Uint32Array(step * step);
  for (let place = 0; place < pixels.length; place += 1) {
    const along = ((place % step) + Math.floor(place / step) + 1) % step;
    const aside = Math.abs(along - step / 2) * Math.SQRT1_2;
    const share = Math.min(Math.max(0.5 * pen.pixel - aside + 0.5, 0), 1);
    pixels[place] = pack(red, green, blue, Math.round(share * HATCH_OPACITY * 255));
  }
  const image = new ImageData(new Uint8ClampedArray(pixels.buffer), step, step);
  tile.getContext('2d')?.putImageData(image, 0, 0);
  const pattern = pen.context.createPattern(tile, 'repeat');
  pattern?.setTransform(new DOMMatrix([1, 0, 0, 1, pen.shiftX + pen.shiftY, 0]));
  return pattern;
}

/** Smaller rectangles have no edge. */
const LEAST_WITH_EDGE = 3;

function drawRects(pen: Pen, layer: RectLayer): void {
  const { context, pixel } = pen;
  for (let mark = 0; mark < layer.n; mark += 1) {
    const [x0, x1] = snapped(pen.x(layer.x0[mark]), pen.x(layer.x1[mark]));
    const [y0, y1] = snapped(pen.y(layer.y0[mark]), pen.y(layer.y1[mark]));
    if (!pen.sees(x0, x1, y0, y1)) continue;
    const [wide, high] = [x1 - x0, y1 - y0];
    const [fill, edge, pattern] = [layer.fill[mark], layer.edge[mark], layer.pattern[mark]];
    context.fillStyle = pen.css(pen.faded(fill, fill));
    context.fillRect(x0, y0, wide, high);
    if (pattern === PATTERN.hatch) fillHatched(pen, x0, y0, wide, high);
    if (pattern === PATTERN.diagonal || pattern === PATTERN.cross) {
      context.beginPath();
      context.moveTo(x0, y1);
      context.lineTo(x1, y0);
      if (pattern === PATTERN.cross) {
        context.moveTo(x0, y0);
        context.lineTo(x1, y1);
      }
      pen.stroke(markingOn(pen, fill), 1);
    }
    if (edge >>> 24 === 0 || Math.min(wide, high) < LEAST_WITH_EDGE * pixel) continue;
    context.strokeStyle = pen.css(pen.faded(edge, fill));
    context.lineWidth = pixel;
    context.strokeRect(x0 + pixel / 2, y0 + pixel / 2, wide - pixel, high - pixel);
  }
}

function fillHatched(pen: Pen, ...box: [number, number, number, number]): void {
  const hatch = pen.hatch();
  if (hatch === null) return;
  pen.context.fillStyle = hatch;
  pen.context.fillRect(...box);
}

/** Lines on a fill are dark or light, as can be seen on it. */
function markingOn({ background }: Pen, fill: number): number {
  const [red, green, blue] = rgba(mixed(background, fill, (fill >>> 24) / 255));
  const light = (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
  const shade = light > 0.431 ? 0 : 255;
  return pack(shade, shade, shade, 150);
}

/** Every pixel has the column in its middle, as on the graphics card: no side of a strip is blurred. */
function drawStrips(pen: Pen, { image, canvas }: KeptImage): void {
  const pattern = canvas === null ? null : pen.context.createPattern(canvas, 'repeat');
  if (canvas === null || pattern === null) return;
  const down = Math.round(pen.shiftY) + image.top;
  for (const { x0, x1, nColumns, column, from, to } of image.blocks) {
    const [first, last] = [pen.x(x0), pen.x(x1)];
    const [left, right] = snapped(first, last);
    const [y0, y1] = [down + from, down + to];
    if (!pen.sees(left, right, y0, y1)) continue;
    const perColumn = (last - first) / nColumns;
    // What is narrower than a pixel may lie beside its middle.
    const middle = Math.floor((left + 0.5 - first) / perColumn);
    const only = Math.min(Math.max(middle, 0), nColumns - 1);
    const [wide, begin] = right - left === 1 ? [1, left - only] : [perColumn, first];
    pattern.setTransform(new DOMMatrix([wide, 0, 0, 1, begin - column * wide, down]));
    pen.context.fillStyle = pattern;
    pen.context.fillRect(left, y0, right - left, y1 - y0);
  }
}

/** What lies along an axis is sharp on whole pixels. */
function centred(place: number, width: number): number {
  return Math.floor(width + 0.5) % 2 === 1 ? Math.floor(place) + 0.5 : Math.floor(place + 0.5);
}

type Ends = [number, number, number, number];

/** The ends of a stroke of a width in pixels of the page. */
function endsOf(pen: Pen, x0: number, y0: number, x1: number, y1: number, width: number): Ends {
  const ends: Ends = [pen.x(x0), pen.y(y0), pen.x(x1), pen.y(y1)];
  const wide = width * pen.pixel;
  if (Math.abs(ends[1] - ends[3]) < 0.01) ends[1] = ends[3] = centred(ends[1], wide);
  else if (Math.abs(ends[0] - ends[2]) < 0.01) ends[0] = ends[2] = centred(ends[0], wide);
  return ends;
}

interface Paths {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly firstPoint: Uint32Array;
}

/** Begins a path of the strokes between the points of a mark. */
function traceStrokes(pen: Pen, paths: Paths, mark: number, closed: boolean, width: number): void {
  const { context } = pen;
  const [first, end] = [paths.firstPoint[mark], paths.firstPoint[mark + 1]];
  const nStrokes = end - first - (closed ? 0 : 1);
  context.beginPath();
  for (let stroke = 0; stroke < nStrokes; stroke += 1) {
    const from = first + stroke;
    const to = from + 1 < end ? from + 1 : first;
    const { x, y } = paths;
    const [x0, y0, x1, y1] = endsOf(pen, x[from], y[from], x[to], y[to], width);
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
  }
}

const DASH = [4, 3] as const;

function drawLines(pen: Pen, layer: LineLayer): void {
  const { context, pixel } = pen;
  for (let mark = 0; mark < layer.n; mark += 1) {
    const isDashed = layer.dashed[mark] !== 0;
    traceStrokes(pen, layer, mark, false, layer.width[mark]);
    if (isDashed) context.setLineDash(DASH.map((length) => length * pixel));
    pen.stroke(layer.color[mark], layer.width[mark]);
    if (isDashed) context.setLineDash([]);
  }
}

function drawArrows(pen: Pen, layer: ArrowLayer): void {
  const { context, pixel } = pen;
  for (let mark = 0; mark < layer.n; mark += 1) {
    const [width, ends] = [layer.width[mark], layer.ends[mark]];
    const { x0: left, y0: top, x1: right, y1: bottom } = layer;
    const [x0, y0, x1, y1] = endsOf(pen, left[mark], top[mark], right[mark], bottom[mark], width);
    const far = Math.hypot(x1 - x0, y1 - y0);
    const [dx, dy] = far > 0 ? [(x1 - x0) / far, (y1 - y0) / far] : [1, 0];
    const half = (width * pixel) / 2;
    const head = (ends & ARROW.head) === 0 ? 0 : Math.min(Math.max(6 * pixel, half * 6), far * 0.7);
    const [baseX, baseY] = [x1 - dx * head, y1 - dy * head];
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(baseX, baseY);
    pen.stroke(layer.color[mark], width);
    context.fillStyle = pen.css(layer.color[mark]);
    if (head > 0) {
      const room = Math.max(head * 0.38, half);
      fillShape(context, [
        [baseX - dy * room, baseY + dx * room],
        [x1, y1],
        [baseX + dy * room, baseY - dx * room],
      ]);
    }
    if ((ends & ARROW.dot) !== 0) fillDot(context, x0, y0, Math.max(1.75 * pixel, half * 2.2));
  }
}

function fillShape(
  context: CanvasRenderingContext2D,
  points: readonly (readonly [number, number])[],
): void {
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  context.fill();
}

function fillDot(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

/** Where two slanted outlines meet, the page must not shine through: they get a thin edge. */
const SEAM_WIDTH = 0.5;
const OPAQUE = 255;

function drawPolygons(pen: Pen, layer: PolygonLayer): void {
  const { context } = pen;
  const corner = (at: number) => [pen.x(layer.x[at]), pen.y(layer.y[at])] as const;
  for (let mark = 0; mark < layer.n; mark += 1) {
    const [first, end] = [layer.firstPoint[mark], layer.firstPoint[mark + 1]];
    const [fill, edge] = [layer.fill[mark], layer.edge[mark]];
    context.fillStyle = pen.css(fill);
    fillShape(
      context,
      Array.from({ length: end - first }, (_, place) => corner(first + place)),
    );
    const hasEdge = edge >>> 24 > 0;
    if (!hasEdge && fill >>> 24 !== OPAQUE) continue;
    const width = hasEdge ? 1 : SEAM_WIDTH;
    traceStrokes(pen, layer, mark, true, width);
    pen.stroke(hasEdge ? edge : fill, width);
  }
}

function drawGlyphs(pen: Pen, layer: GlyphLayer): void {
  const { context, pixel } = pen;
  for (let mark = 0; mark < layer.n; mark += 1) {
    const [x, y] = [pen.x(layer.x[mark]), pen.y(layer.y[mark])];
    const size = layer.size[mark] * pixel;
    const half = size / 2;
    if (!pen.sees(x - size, x + size, y - size, y + size)) continue;
    context.fillStyle = pen.css(layer.color[mark]);
    switch (layer.shape[mark]) {
      case SHAPE.triangle:
        fillShape(context, [
          [x, y],
          [x + half, y + size],
          [x - half, y + size],
        ]);
        break;
      case SHAPE.diamond:
        fillShape(context, [
          [x, y - half],
          [x + half, y],
          [x, y + half],
          [x - half, y],
        ]);
        break;
      case SHAPE.disc:
        fillDot(context, x, y, half);
        break;
      case SHAPE.square:
        context.fillRect(x - half, y - half, size, size);
        break;
      default:
        context.fillRect(x - pixel / 2, y - half, pixel, size);
    }
  }
}
