// Scenes as they come over the wire: a header in JSON and columns of numbers, used where they lie.

import { ApiError } from './error';
import { STRIP, WIRE } from './generated';
import type {
  Bounds,
  ColorScale,
  ColumnType,
  GraphScale,
  HistogramPlot,
  LegendEntry,
  MinimapHeader,
  Peak,
  SceneHeader,
  TimelineHeader,
  TimelineRow,
  TimeWindow,
  UprightAxis,
  WireLayer,
} from './types';

export type { Bounds } from './types';

/** What marks of every kind may have. */
export interface Marked {
  readonly n: number;
  readonly title: Uint32Array | null;
  readonly pickLow: Uint32Array | null;
  readonly pickHigh: Uint32Array | null;
}

interface Boxes {
  readonly x0: Float32Array;
  readonly y0: Float32Array;
  readonly x1: Float32Array;
  readonly y1: Float32Array;
}

export interface RectLayer extends Marked, Boxes {
  readonly kind: 'rects';
  readonly fill: Uint32Array;
  readonly edge: Uint32Array;
  readonly pattern: Uint8Array;
}

export interface StripLayer extends Marked, Boxes {
  readonly kind: 'strips';
  readonly firstColumn: Uint32Array;
  readonly nColumns: Uint32Array;
  /** By column: the run of columns that look like it. */
  readonly run: Uint32Array;
  /** By run, and one more. */
  readonly firstPart: Uint32Array;
  /** By run: a colour, or `NO_COLOR`. */
  readonly rare: Uint16Array;
  readonly aggregate: Uint8Array;
  /** By part. */
  readonly color: Uint8Array | Uint16Array;
  readonly share: Uint8Array;
  readonly palette: Uint32Array;
  readonly rules: PixelRules;
}

/** How columns become pixels, in the order in which a shader takes it. Lengths are in pixels of the page. */
export type PixelRules = readonly [
  thin: number,
  meanStep: number,
  rareShare: number,
  rareLeast: number,
  rareMost: number,
  foot: number,
  footShade: number,
];

export interface LineLayer extends Marked {
  readonly kind: 'lines';
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly firstPoint: Uint32Array;
  readonly color: Uint32Array;
  readonly width: Float32Array;
  readonly dashed: Uint8Array;
}

export interface ArrowLayer extends Marked, Boxes {
  readonly kind: 'arrows';
  readonly color: Uint32Array;
  readonly width: Float32Array;
  readonly ends: Uint8Array;
}

export interface PolygonLayer extends Marked {
  readonly kind: 'polygons';
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly firstPoint: Uint32Array;
  readonly fill: Uint32Array;
  readonly edge: Uint32Array;
}

export interface GlyphLayer extends Marked {
  readonly kind: 'glyphs';
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly shape: Uint8Array;
  readonly size: Float32Array;
  readonly color: Uint32Array;
}

export interface LabelLayer extends Marked {
  readonly kind: 'labels';
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly text: Uint32Array;
  readonly size: Float32Array;
  readonly bold: Uint8Array;
  readonly color: Uint32Array;
  readonly align: Uint8Array;
  readonly rise: Uint8Array;
  readonly turn: Float32Array;
  readonly length: Float32Array;
}

export type Layer =
  | RectLayer
  | StripLayer
  | LineLayer
  | ArrowLayer
  | PolygonLayer
  | GlyphLayer
  | LabelLayer;

export interface Scene {
  readonly view: Bounds;
  readonly window: TimeWindow | null;
  readonly exact: boolean;
  readonly notes: readonly string[];
  readonly ms: number;
  readonly legend: readonly LegendEntry[];
  /** What the strengths of colours mean, where they stand for amounts. */
  readonly scale?: ColorScale | undefined;
  /** What the height means, where that is one quantity. */
  readonly upright?: UprightAxis | undefined;
  readonly plots: readonly HistogramPlot[];
  readonly layers: readonly Layer[];
  readonly texts: readonly string[];
}

export interface TimelineScene extends Scene {
  readonly window: TimeWindow;
  readonly rows: readonly TimelineRow[];
  readonly scales: readonly GraphScale[];
  /** That of all rows together, also those that were not asked for. */
  readonly height: number;
  readonly nRows: number;
}

type Column = Uint8Array | Uint16Array | Uint32Array | Float32Array;

export function decodeScene(bytes: ArrayBuffer): Scene {
  return sceneOf(...split(bytes));
}

/** The minimap, with the times at which much changes. */
export function decodeMinimap(bytes: ArrayBuffer): Scene & { readonly peaks: readonly Peak[] } {
  const [header, body] = split<MinimapHeader>(bytes);
  return { ...sceneOf(header, body), peaks: header.peaks };
}

export function decodeTimeline(bytes: ArrayBuffer): TimelineScene {
  return timelineOf(...split<TimelineHeader>(bytes));
}

export function timelineOf(header: TimelineHeader, body: Body): TimelineScene {
  const scene = sceneOf(header, body);
  const { rows, scales, height, n_rows: nRows } = header;
  if (scene.window === null || rows === undefined || height === undefined) {
    throw wrong('a timeline needs its window, its rows and its height');
  }
  return { ...scene, window: scene.window, rows, scales, height, nRows };
}

export function wrong(what: string): ApiError {
  return new ApiError('answer', `The picture cannot be read: ${what}.`);
}

/** The header, of the kind that was asked for, and what comes after it. */
export function split<H extends { readonly schema: string } = SceneHeader>(
  bytes: ArrayBuffer,
): [H, Body] {
  if (bytes.byteLength < WIRE.prefix) throw wrong('it is too short');
  const fixed = new DataView(bytes);
  if (fixed.getUint32(0, true) !== WIRE.magic) throw wrong('it is no scene');
  const version = fixed.getUint32(4, true);
  if (version !== WIRE.version) throw wrong(`its version is ${version}, not ${WIRE.version}`);
  const length = fixed.getUint32(8, true);
  const end = WIRE.prefix + length;
  if (end > bytes.byteLength) throw wrong('its header is cut off');
  const text = new TextDecoder().decode(new Uint8Array(bytes, WIRE.prefix, length));
  const header = JSON.parse(text) as H;
  const begin = Math.ceil(end / WIRE.alignment) * WIRE.alignment;
  return [header, new Body(bytes, begin)];
}

function sceneOf(header: SceneHeader, body: Body): Scene {
  return {
    view: header.view,
    window: header.window ?? null,
    exact: header.exact,
    notes: header.notes,
    ms: header.ms,
    legend: header.legend,
    scale: header.scale,
    upright: header.upright,
    plots: header.plots ?? [],
    layers: header.layers.map((layer) => layerOf(new Columns(layer, body))),
    texts: header.texts,
  };
}

/** The numbers after the header. */
export class Body {
  constructor(
    private readonly bytes: ArrayBuffer,
    private readonly begin: number,
  ) {}

  column(type: ColumnType, offset: number, length: number): Column {
    const at = this.begin + offset;
    const width = type === 'u8' ? 1 : type === 'u16' ? 2 : 4;
    if (offset < 0 || length < 0 || at + length * width > this.bytes.byteLength) {
      throw wrong('a column is cut off');
    }
    switch (type) {
      case 'u8':
        return new Uint8Array(this.bytes, at, length);
      case 'u16':
        return new Uint16Array(this.bytes, at, length);
      case 'u32':
        return new Uint32Array(this.bytes, at, length);
      case 'f32':
        return new Float32Array(this.bytes, at, length);
    }
  }
}

/** The columns of a layer by name, each with the type and the length that it must have. */
export class Columns {
  constructor(
    readonly layer: WireLayer,
    private readonly body: Body,
  ) {}

  private find(name: string): Column | null {
    const place = this.layer.columns[name];
    return place === undefined ? null : this.body.column(...place);
  }

  private typed<T extends Column>(name: string, type: { new (n: number): T }, least: number): T {
    const column = this.find(name);
    if (!(column instanceof type)) throw wrong(`${this.layer.kind} have no proper ${name}`);
    if (column.length < least) throw wrong(`${this.layer.kind} have too few numbers in ${name}`);
    return column;
  }

  f32(name: string, least = this.layer.n): Float32Array {
    return this.typed(name, Float32Array, least);
  }

  u32(name: string, least = this.layer.n): Uint32Array {
    return this.typed(name, Uint32Array, least);
  }

  u16(name: string, least = this.layer.n): Uint16Array {
    return this.typed(name, Uint16Array, least);
  }

  u8(name: string, least = this.layer.n): Uint8Array {
    return this.typed(name, Uint8Array, least);
  }

  /** Places in a palette: bytes where these are enough. */
  places(name: string): Uint8Array | Uint16Array {
    const isSmall = this.layer.columns[name]?.[0] === 'u8';
    return isSmall ? this.u8(name, 0) : this.u16(name, 0);
  }

  private optional(name: string): Uint32Array | null {
    return this.layer.columns[name] === undefined ? null : this.u32(name);
  }

  marked(): Marked {
    return {
      n: this.layer.n,
      title: this.optional('title'),
      pickLow: this.optional('pick_lo'),
      pickHigh: this.optional('pick_hi'),
    };
  }

  boxes(): Boxes {
    return { x0: this.f32('x0'), y0: this.f32('y0'), x1: this.f32('x1'), y1: this.f32('y1') };
  }

  /** The begins of runs of points or parts, one more than there are runs. */
  runs(name: string, n: number, nItems: number): Uint32Array {
    const first = this.u32(name, n + 1);
    for (let run = 0; run < n; run += 1) {
      if (first[run] > first[run + 1]) throw wrong(`${name} does not rise`);
    }
    if (first[n] > nItems) throw wrong(`${name} leads outside`);
    return first;
  }
}

function layerOf(columns: Columns): Layer {
  const { kind, n } = columns.layer;
  switch (kind) {
    case 'rects':
      return {
        kind,
        ...columns.marked(),
        ...columns.boxes(),
        fill: columns.u32('fill'),
        edge: columns.u32('edge'),
        pattern: columns.u8('pattern'),
      };
    case 'strips':
      return strips(columns);
    case 'lines':
      return {
        kind,
        ...columns.marked(),
        ...points(columns),
        color: columns.u32('line_color'),
        width: columns.f32('width'),
        dashed: columns.u8('dashed'),
      };
    case 'arrows':
      return {
        kind,
        ...columns.marked(),
        ...columns.boxes(),
        color: columns.u32('arrow_color'),
        width: columns.f32('width'),
        ends: columns.u8('ends'),
      };
    case 'polygons':
      return {
        kind,
        ...columns.marked(),
        ...points(columns),
        fill: columns.u32('fill'),
        edge: columns.u32('edge'),
      };
    case 'glyphs':
      return {
        kind,
        ...columns.marked(),
        x: columns.f32('x'),
        y: columns.f32('y'),
        shape: columns.u8('shape'),
        size: columns.f32('size'),
        color: columns.u32('glyph_color'),
      };
    case 'labels':
      return {
        kind,
        ...columns.marked(),
        x: columns.f32('x'),
        y: columns.f32('y'),
        text: columns.u32('text'),
        size: columns.f32('size'),
        bold: columns.u8('bold'),
        color: columns.u32('label_color'),
        align: columns.u8('align'),
        rise: columns.u8('rise'),
        turn: columns.f32('turn'),
        length: columns.f32('length'),
      };
    default:
      throw wrong(`${n} marks are of the unknown kind ${kind}`);
  }
}

function points(columns: Columns): Pick<LineLayer, 'x' | 'y' | 'firstPoint'> {
  const x = columns.f32('x', 0);
  const y = columns.f32('y', x.length);
  return { x, y, firstPoint: columns.runs('first_point', columns.layer.n, x.length) };
}

/** The place of no colour in a palette. */
export const NO_COLOR = 0xffff;

function strips(columns: Columns): StripLayer {
  const color = columns.places('color');
  const nColumns = columns.u32('n_columns');
  return {
    kind: 'strips',
    ...columns.marked(),
    ...columns.boxes(),
    ...columnRuns(nColumns, columns.u32('first_run'), columns.u8('repeat', 0)),
    nColumns,
    ...looks(columns, color.length),
    color,
    share: columns.u8('share', color.length),
    palette: columns.u32('palette', 0),
    rules: pixelRules(columns.f32('rules', STRIP.nRules)),
  };
}

function pixelRules([thin, step, share, least, most, foot, shade]: Float32Array): PixelRules {
  return [thin, step, share, least, most, foot, shade];
}

/** The run of each column, where the columns of a strip begin after those of the one before. */
function columnRuns(
  nColumns: Uint32Array,
  firstRun: Uint32Array,
  repeat: Uint8Array,
): Pick<StripLayer, 'firstColumn' | 'run'> {
  const firstColumn = new Uint32Array(nColumns.length);
  let n = 0;
  for (let strip = 0; strip < nColumns.length; strip += 1) {
    firstColumn[strip] = n;
    n += nColumns[strip];
  }
  if (n > repeat.length * 255) throw wrong('a strip has columns that are not there');
  const run = new Uint32Array(n);
  for (let strip = 0; strip < nColumns.length; strip += 1) {
    let column = firstColumn[strip];
    const end = column + nColumns[strip];
    for (let at = firstRun[strip]; column < end; at += 1) {
      if (at >= repeat.length) throw wrong('a strip has columns that are not there');
      for (let left = repeat[at]; left > 0 && column < end; left -= 1) {
        run[column] = at;
        column += 1;
      }
    }
  }
  return { firstColumn, run };
}

/** What each run looks like. */
function looks(
  columns: Columns,
  nItems: number,
): Pick<StripLayer, 'firstPart' | 'rare' | 'aggregate'> {
  const look = columns.u8('look', 0);
  const nParts = columns.u8('n_parts', look.length);
  const rareOnly = columns.u16('rare', 0);
  const firstPart = new Uint32Array(look.length + 1);
  const rare = new Uint16Array(look.length).fill(NO_COLOR);
  const aggregate = new Uint8Array(look.length);
  let nRare = 0;
  for (let run = 0; run < look.length; run += 1) {
    firstPart[run + 1] = firstPart[run] + nParts[run];
    aggregate[run] = look[run] & STRIP.aggregate;
    if ((look[run] & STRIP.hasRare) !== 0) {
      rare[run] = rareOnly[nRare] ?? NO_COLOR;
      nRare += 1;
    }
  }
  if (firstPart[look.length] > nItems) throw wrong('a column has parts that are not there');
  return { firstPart, rare, aggregate };
}

/** The pick of a mark as the server takes it, or `null` where it stands for nothing. */
export function pickOf(layer: Marked, mark: number): string | null {
  const { pickLow, pickHigh } = layer;
  if (pickLow === null || pickHigh === null) return null;
  const bits = (BigInt(pickHigh[mark]) << 32n) | BigInt(pickLow[mark]);
  return bits === 0n ? null : bits.toString();
}

/** What a mark shows under the pointer. */
export function titleOf(scene: Pick<Scene, 'texts'>, layer: Marked, mark: number): string | null {
  const place = layer.title?.[mark] ?? 0;
  return place === 0 ? null : (scene.texts[place - 1] ?? null);
}
