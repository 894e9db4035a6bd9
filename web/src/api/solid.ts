// Scenes in space as they come over the wire: structure on a base, time upwards. The form is that
// of other scenes; docs/http-api.md tells what the columns mean.

import { WIRE } from './generated';
import { Columns, type Marked, split, wrong } from './scene';
import type {
  BaseNumber,
  CableScale,
  LegendEntry,
  RulerTick,
  SolidBase,
  SolidHeader,
  TimeWindow,
} from './types';

export { BASE_KIND } from './generated';
export type { BaseNumber, CableScale, RulerTick } from './types';

/** Stands for no number in columns of places and nodes. */
export const NONE = WIRE.none;

export interface Cells extends Marked {
  readonly x0: Float32Array;
  readonly y0: Float32Array;
  readonly x1: Float32Array;
  readonly y1: Float32Array;
  readonly depth: Uint8Array;
  readonly text: Uint32Array;
  /** Numbers of the hierarchy. */
  readonly node: Uint32Array;
  readonly fill: Uint32Array;
  readonly edge: Uint32Array;
}

export interface BaseNodes extends Marked {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly radius: Float32Array;
  readonly baseKind: Uint8Array;
  readonly text: Uint32Array;
  /** The name as short as it can be without being mistaken for another. */
  readonly short: Uint32Array;
  readonly rank: Uint32Array;
  /** Numbers of the hierarchy. */
  readonly node: Uint32Array;
  /** Places of the nodes that they stand on. */
  readonly on: Uint32Array;
  readonly fill: Uint32Array;
}

/** Flat bands from node to node: network links, and what nodes send each other. */
export interface Bands extends Marked {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly width: Float32Array;
  readonly color: Uint32Array;
}

export interface Boxes extends Marked {
  /** Places in the nodes of the base. */
  readonly node: Uint32Array;
  readonly z0: Float32Array;
  readonly z1: Float32Array;
  readonly radius: Float32Array;
  readonly color: Uint32Array;
  readonly aggregate: Uint8Array;
}

export interface TimeArrows extends Marked {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly za: Float32Array;
  readonly zb: Float32Array;
  /** The places that arrows pass on their way: of each from its `firstVia` to that of the next. */
  readonly via: Uint32Array;
  readonly firstVia: Uint32Array;
  readonly width: Float32Array;
  readonly color: Uint32Array;
  readonly count: Uint32Array;
}

export interface Ribbons extends Marked {
  readonly z: Float32Array;
  readonly value: Float32Array;
  readonly firstPoint: Uint32Array;
  readonly node: Uint32Array;
  readonly color: Uint32Array;
}

export interface EventMarks extends Marked {
  readonly node: Uint32Array;
  readonly z: Float32Array;
  readonly color: Uint32Array;
  readonly count: Uint32Array;
}

export interface Solid {
  readonly window: TimeWindow;
  readonly exact: boolean;
  readonly notes: readonly string[];
  readonly ms: number;
  readonly legend: readonly LegendEntry[];
  readonly texts: readonly string[];
  /** The bases that the trace can have. */
  readonly bases: readonly SolidBase[];
  readonly base: SolidBase;
  readonly layout: string | null;
  readonly ruler: readonly RulerTick[];
  readonly rulerTitle: string;
  readonly cableScale: CableScale | null;
  readonly numbers: readonly BaseNumber[];
  readonly cells: Cells;
  readonly nodes: BaseNodes;
  readonly cables: Bands;
  readonly edges: Bands;
  readonly boxes: Boxes;
  readonly arrows: TimeArrows;
  readonly ribbons: Ribbons;
  readonly marks: EventMarks;
}

const SCHEMA = 'onca-solid/1';

export function decodeSolid(bytes: ArrayBuffer): Solid {
  const [header, body] = split<SolidHeader>(bytes);
  if (header.schema !== SCHEMA) throw wrong(`it is ${header.schema}, not ${SCHEMA}`);
  if (header.window === undefined) throw wrong('a scene in space needs its window');
  const layer = (kind: string): Columns => {
    const found = header.layers.find((one) => one.kind === kind);
    if (found === undefined) throw wrong(`there are no ${kind}`);
    return new Columns(found, body);
  };
  const nodes = nodesOf(layer('nodes'));
  return {
    window: header.window,
    exact: header.exact,
    notes: header.notes,
    ms: header.ms,
    legend: header.legend,
    texts: header.texts,
    bases: header.bases,
    base: header.base,
    layout: header.layout,
    ruler: header.ruler,
    rulerTitle: header.ruler_title,
    cableScale: header.cable_scale,
    numbers: header.numbers.filter(({ a, b }) => a < nodes.n && b < nodes.n),
    cells: cellsOf(layer('cells')),
    nodes,
    cables: bandsOf(layer('cables'), 'cable_color', nodes.n),
    edges: bandsOf(layer('edges'), 'edge_color', nodes.n),
    boxes: boxesOf(layer('boxes'), nodes.n),
    arrows: arrowsOf(layer('arrows'), nodes.n),
    ribbons: ribbonsOf(layer('ribbons'), nodes.n),
    marks: marksOf(layer('marks'), nodes.n),
  };
}

/** A column of places of base nodes. */
function places(columns: Columns, name: string, nNodes: number): Uint32Array {
  const column = columns.u32(name);
  for (let mark = 0; mark < columns.layer.n; mark += 1) {
    if (column[mark] >= nNodes) throw wrong(`${columns.layer.kind} stand on no node`);
  }
  return column;
}

function cellsOf(columns: Columns): Cells {
  return {
    ...columns.marked(),
    ...columns.boxes(),
    depth: columns.u8('depth'),
    text: columns.u32('text'),
    node: columns.u32('node'),
    fill: columns.u32('fill'),
    edge: columns.u32('edge'),
  };
}

function nodesOf(columns: Columns): BaseNodes {
  const { n } = columns.layer;
  const on = columns.u32('on');
  for (let node = 0; node < n; node += 1) {
    if (on[node] !== NONE && on[node] >= n) throw wrong('a node stands on none');
  }
  return {
    ...columns.marked(),
    x: columns.f32('x'),
    y: columns.f32('y'),
    radius: columns.f32('radius'),
    baseKind: columns.u8('base_kind'),
    text: columns.u32('text'),
    short: columns.u32('short'),
    rank: columns.u32('rank'),
    node: columns.u32('node'),
    on,
    fill: columns.u32('fill'),
  };
}

function bandsOf(columns: Columns, color: string, nNodes: number): Bands {
  return {
    ...columns.marked(),
    a: places(columns, 'a', nNodes),
    b: places(columns, 'b', nNodes),
    width: columns.f32('width'),
    color: columns.u32(color),
  };
}

function boxesOf(columns: Columns, nNodes: number): Boxes {
  return {
    ...columns.marked(),
    node: places(columns, 'node', nNodes),
    z0: columns.f32('z0'),
    z1: columns.f32('z1'),
    radius: columns.f32('radius'),
    color: columns.u32('box_color'),
    aggregate: columns.u8('aggregate'),
  };
}

function arrowsOf(columns: Columns, nNodes: number): TimeArrows {
  const via = columns.u32('via', 0);
  if (via.some((place) => place >= nNodes)) throw wrong('arrows pass no node');
  return {
    ...columns.marked(),
    a: places(columns, 'a', nNodes),
    b: places(columns, 'b', nNodes),
    za: columns.f32('za'),
    zb: columns.f32('zb'),
    via,
    firstVia: columns.runs('first_via', columns.layer.n, via.length),
    width: columns.f32('width'),
    color: columns.u32('arrow_color'),
    count: columns.u32('count'),
  };
}

function ribbonsOf(columns: Columns, nNodes: number): Ribbons {
  const z = columns.f32('z', 0);
  return {
    ...columns.marked(),
    z,
    value: columns.f32('value', z.length),
    firstPoint: columns.runs('first_point', columns.layer.n, z.length),
    node: places(columns, 'node', nNodes),
    color: columns.u32('ribbon_color'),
  };
}

function marksOf(columns: Columns, nNodes: number): EventMarks {
  return {
    ...columns.marked(),
    node: places(columns, 'node', nNodes),
    z: columns.f32('z'),
    color: columns.u32('mark_color'),
    count: columns.u32('count'),
  };
}
