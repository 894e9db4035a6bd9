// What is under the pointer.

import { SHAPE } from '../api/generated';
import {
  type ArrowLayer,
  type Bounds,
  type GlyphLayer,
  type Layer,
  type LineLayer,
  NO_COLOR,
  type PolygonLayer,
  pickOf,
  type RectLayer,
  type Scene,
  type StripLayer,
  titleOf,
} from '../api/scene';
import { type Transform, toScene } from './transform';

/** Where a mark is, in the space of the scene. An arrow runs from corner to corner of its box. */
export interface MarkPlace {
  readonly kind: Layer['kind'];
  /** Of strips, the column. */
  readonly box: Bounds;
}

export interface Hit extends MarkPlace {
  readonly pick: string;
  readonly title: string | null;
  /** The colour under the pointer, if the mark has one there. */
  readonly color: number | null;
}

/** The pointer may miss thin marks by this many pixels of the page. */
const TOLERANCE = 4;
/** The height of a bucket of boxes, in units of the scene. */
const BUCKET_HEIGHT = 8;
const MOST_BUCKETS = 4096;
/** The pick that stands for nothing. */
const NOTHING = '0';

/** Finds marks of a scene; boxes are put in buckets by their height when first asked. */
export class HitTest {
  private readonly buckets = new Map<Layer, Buckets>();

  /** With `findsTitled`, marks that only have a title are found too, with the pick of nothing. */
  constructor(
    private readonly scene: Scene,
    private readonly findsTitled = false,
  ) {}

  /** The topmost mark with a pick at a place of the page. */
  at(x: number, y: number, transform: Transform): Hit | null {
    const place: PointerPlace = { x, y, transform, at: toScene(transform, x, y) };
    for (let number = this.scene.layers.length - 1; number >= 0; number -= 1) {
      const hit = this.inLayer(this.scene.layers[number], place);
      if (hit !== null) return hit;
    }
    return null;
  }

  /** Where all marks with one of these picks are. */
  placesOf(picks: ReadonlySet<string>): MarkPlace[] {
    if (picks.size === 0) return [];
    const low = new Set([...picks].map((pick) => Number(BigInt(pick) & 0xffffffffn)));
    const places: MarkPlace[] = [];
    for (const layer of this.scene.layers) {
      if (layer.kind !== 'rects' && layer.kind !== 'arrows' && layer.kind !== 'strips') continue;
      for (let mark = 0; mark < layer.n; mark += 1) {
        // The lower half tells nearly all apart, without making large numbers.
        if (!low.has(layer.pickLow?.[mark] ?? -1)) continue;
        if (!picks.has(pickOf(layer, mark) ?? '')) continue;
        places.push({ kind: layer.kind, box: boxOf(layer, mark) });
      }
    }
    return places;
  }

  private inLayer(layer: Layer, place: PointerPlace): Hit | null {
    switch (layer.kind) {
      case 'rects':
        return this.inBoxes(layer, place, (mark) =>
          this.hit(layer, mark, boxOf(layer, mark), layer.fill[mark]),
        );
      case 'strips':
        return this.inBoxes(layer, place, (mark) => this.inStrip(layer, mark, place));
      case 'arrows':
        return this.nearest(layer, place, (mark) => toArrow(layer, mark, place));
      case 'glyphs':
        return this.nearest(layer, place, (mark) => toGlyph(layer, mark, place));
      case 'lines':
        return this.nearest(layer, place, (mark) => toLine(layer, mark, place));
      case 'polygons':
        return this.inPolygons(layer, place);
      case 'labels':
        // What a text stands for is drawn below it.
        return null;
    }
  }

  private hit(layer: Layer, mark: number, box: Bounds, color: number | null): Hit | null {
    const title = titleOf(this.scene, layer, mark);
    const pick = pickOf(layer, mark) ?? (this.findsTitled && title !== null ? NOTHING : null);
    return pick === null ? null : { pick, kind: layer.kind, box, title, color };
  }

  /** Later boxes lie above earlier ones. A box is never thinner than a pixel of the page. */
  private inBoxes(
    layer: RectLayer | StripLayer,
    { at: [x, y], transform }: PointerPlace,
    found: (mark: number) => Hit | null,
  ): Hit | null {
    const pixel = 1 / transform.scaleX;
    const candidates = this.bucketsOf(layer).at(y);
    for (let place = candidates.length - 1; place >= 0; place -= 1) {
      const mark = candidates[place];
      const right = Math.max(layer.x1[mark], layer.x0[mark] + pixel);
      const isInside =
        layer.x0[mark] <= x && x < right && layer.y0[mark] <= y && y < layer.y1[mark];
      const hit = isInside ? found(mark) : null;
      if (hit !== null) return hit;
    }
    return null;
  }

  private bucketsOf(layer: RectLayer | StripLayer): Buckets {
    const known = this.buckets.get(layer);
    if (known !== undefined) return known;
    const buckets = new Buckets(layer, this.scene.view);
    this.buckets.set(layer, buckets);
    return buckets;
  }

  private inStrip(layer: StripLayer, mark: number, { at: [x, y] }: PointerPlace): Hit | null {
    const width = (layer.x1[mark] - layer.x0[mark]) / layer.nColumns[mark];
    const last = layer.nColumns[mark] - 1;
    const number = Math.min(Math.max(Math.floor((x - layer.x0[mark]) / width), 0), last);
    const x0 = layer.x0[mark] + number * width;
    const box = { x0, y0: layer.y0[mark], x1: x0 + width, y1: layer.y1[mark] };
    const level = ((box.y1 - y) / (box.y1 - box.y0)) * 255;
    const place = partAt(layer, layer.firstColumn[mark] + number, level);
    return this.hit(layer, mark, box, place === NO_COLOR ? null : layer.palette[place]);
  }

  private nearest<L extends ArrowLayer | GlyphLayer | LineLayer>(
    layer: L,
    place: PointerPlace,
    distance: (mark: number) => number,
  ): Hit | null {
    let [best, least] = [-1, TOLERANCE];
    for (let mark = 0; mark < layer.n; mark += 1) {
      const far = distance(mark);
      if (far <= least && pickOf(layer, mark) !== null) [best, least] = [mark, far];
    }
    return best < 0 ? null : this.hit(layer, best, pointBox(layer, best, place), layer.color[best]);
  }

  private inPolygons(layer: PolygonLayer, { at: [x, y] }: PointerPlace): Hit | null {
    for (let mark = layer.n - 1; mark >= 0; mark -= 1) {
      const [first, end] = [layer.firstPoint[mark], layer.firstPoint[mark + 1]];
      if (!isInside(layer.x.subarray(first, end), layer.y.subarray(first, end), x, y)) continue;
      const hit = this.hit(layer, mark, extent(layer, first, end), layer.fill[mark]);
      if (hit !== null) return hit;
    }
    return null;
  }
}

interface PointerPlace {
  /** On the page. */
  readonly x: number;
  readonly y: number;
  readonly transform: Transform;
  /** In the scene. */
  readonly at: readonly [number, number];
}

/** Boxes by the heights that they touch. */
class Buckets {
  private readonly lists: number[][];
  private readonly size: number;
  private readonly begin: number;

  constructor(boxes: RectLayer | StripLayer, view: Bounds) {
    // Views whose values grow upwards are upside down.
    this.begin = Math.min(view.y0, view.y1);
    const height = Math.max(Math.abs(view.y1 - view.y0), 1e-9);
    const count = Math.min(Math.max(Math.ceil(height / BUCKET_HEIGHT), 1), MOST_BUCKETS);
    this.size = height / count;
    this.lists = Array.from({ length: count }, () => []);
    for (let mark = 0; mark < boxes.n; mark += 1) {
      const last = this.bucket(boxes.y1[mark]);
      for (let bucket = this.bucket(boxes.y0[mark]); bucket <= last; bucket += 1) {
        this.lists[bucket].push(mark);
      }
    }
  }

  private bucket(y: number): number {
    const number = Math.floor((y - this.begin) / this.size);
    return Math.min(Math.max(number, 0), this.lists.length - 1);
  }

  /** The boxes that may hold this height, in the order in which they are painted. */
  at(y: number): readonly number[] {
    return this.lists[this.bucket(y)];
  }
}

function boxOf(layer: RectLayer | StripLayer | ArrowLayer, mark: number): Bounds {
  return { x0: layer.x0[mark], y0: layer.y0[mark], x1: layer.x1[mark], y1: layer.y1[mark] };
}

function partAt(layer: StripLayer, column: number, level: number): number {
  const run = layer.run[column];
  let sum = 0;
  for (let part = layer.firstPart[run]; part < layer.firstPart[run + 1]; part += 1) {
    sum += layer.share[part];
    if (level < sum) return layer.color[part];
  }
  return NO_COLOR;
}

function pointBox(
  layer: ArrowLayer | GlyphLayer | LineLayer,
  mark: number,
  { transform }: PointerPlace,
): Bounds {
  switch (layer.kind) {
    case 'arrows':
      return boxOf(layer, mark);
    case 'lines':
      return extent(layer, layer.firstPoint[mark], layer.firstPoint[mark + 1]);
    case 'glyphs': {
      const [x, y, reach] = [layer.x[mark], layer.y[mark], layer.size[mark] / 2];
      const [wide, high] = [reach / transform.scaleX, reach / transform.scaleY];
      const middle = layer.shape[mark] === SHAPE.triangle ? y + high : y;
      return { x0: x - wide, y0: middle - high, x1: x + wide, y1: middle + high };
    }
  }
}

function extent(
  layer: { readonly x: Float32Array; readonly y: Float32Array },
  first: number,
  end: number,
): Bounds {
  const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (let point = first; point < end; point += 1) {
    box.x0 = Math.min(box.x0, layer.x[point]);
    box.y0 = Math.min(box.y0, layer.y[point]);
    box.x1 = Math.max(box.x1, layer.x[point]);
    box.y1 = Math.max(box.y1, layer.y[point]);
  }
  return box;
}

function toArrow(layer: ArrowLayer, mark: number, place: PointerPlace): number {
  return toSegment(place, layer.x0[mark], layer.y0[mark], layer.x1[mark], layer.y1[mark]);
}

function toLine(layer: LineLayer, mark: number, place: PointerPlace): number {
  let least = Infinity;
  for (let to = layer.firstPoint[mark] + 1; to < layer.firstPoint[mark + 1]; to += 1) {
    const { x, y } = layer;
    least = Math.min(least, toSegment(place, x[to - 1], y[to - 1], x[to], y[to]));
  }
  return least;
}

/** How far the pointer is from a segment of the scene, in pixels of the page. */
function toSegment(place: PointerPlace, x0: number, y0: number, x1: number, y1: number): number {
  const { scaleX, shiftX, scaleY, shiftY } = place.transform;
  const [fromX, fromY] = [x0 * scaleX + shiftX, y0 * scaleY + shiftY];
  const [alongX, alongY] = [(x1 - x0) * scaleX, (y1 - y0) * scaleY];
  const [dx, dy] = [place.x - fromX, place.y - fromY];
  const length = alongX * alongX + alongY * alongY;
  const share = length === 0 ? 0 : Math.min(Math.max((dx * alongX + dy * alongY) / length, 0), 1);
  return Math.hypot(dx - share * alongX, dy - share * alongY);
}

/** How far the pointer is outside a glyph, in pixels of the page. */
function toGlyph(layer: GlyphLayer, mark: number, place: PointerPlace): number {
  const { scaleX, shiftX, scaleY, shiftY } = place.transform;
  const half = layer.size[mark] / 2;
  const down = layer.shape[mark] === SHAPE.triangle ? half : 0;
  const dx = place.x - (layer.x[mark] * scaleX + shiftX);
  const dy = place.y - (layer.y[mark] * scaleY + shiftY + down);
  return Math.max(Math.abs(dx) - half, Math.abs(dy) - half, 0);
}

/** By the even-odd rule. */
function isInside(xs: Float32Array, ys: Float32Array, x: number, y: number): boolean {
  let inside = false;
  for (let to = 0, from = xs.length - 1; to < xs.length; from = to, to += 1) {
    const crosses = ys[to] > y !== ys[from] > y;
    if (!crosses) continue;
    const at = xs[to] + ((y - ys[to]) / (ys[from] - ys[to])) * (xs[from] - xs[to]);
    if (x < at) inside = !inside;
  }
  return inside;
}
