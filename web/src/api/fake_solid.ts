// A small scene in space as the server would send it, for tests: two nodes that stand on a host,
// three boxes, a link, an event, a variable, an edge, a network link and a cell.

import { encodeScene, type FakeLayer, f32, u8, u32 } from './fake_scene';
import { decodeSolid, NONE, type Solid } from './solid';

const ENTITY = 0x10000000;
const NODE = 0x20000000;
const PAIR = 0x50000000;

export const FAKE_LAYERS: readonly FakeLayer[] = [
  {
    kind: 'cells',
    n: 1,
    columns: {
      x0: f32(-0.9),
      y0: f32(-0.9),
      x1: f32(0.9),
      y1: f32(0.9),
      depth: u8(1),
      text: u32(3),
      node: u32(9),
      fill: u32(0xffeeeeee),
      edge: u32(0xff888888),
      title: u32(0),
      pick_lo: u32(9),
      pick_hi: u32(NODE),
    },
  },
  {
    kind: 'nodes',
    n: 3,
    columns: {
      x: f32(-0.5, 0.5, 0.5),
      y: f32(0, 0, 0),
      radius: f32(0.1, 0.1, 0.2),
      base_kind: u8(0, 0, 1),
      text: u32(0, 1, 2),
      short: u32(0, 1, 2),
      rank: u32(0, 1, 2),
      node: u32(4, 5, NONE),
      on: u32(NONE, 2, NONE),
      fill: u32(0xffffffff, 0xffffffff, 0xffffffff),
      title: u32(0, 0, 5),
      pick_lo: u32(4, 5, 0),
      pick_hi: u32(NODE, NODE, 0),
    },
  },
  {
    kind: 'cables',
    n: 1,
    columns: {
      a: u32(0),
      b: u32(2),
      width: f32(0.02),
      cable_color: u32(0xff00ffff),
      title: u32(6),
    },
  },
  {
    kind: 'edges',
    n: 1,
    columns: {
      a: u32(0),
      b: u32(1),
      width: f32(0.04),
      edge_color: u32(0xff663300),
      title: u32(0),
      pick_lo: u32(5),
      pick_hi: u32(PAIR + 4),
    },
  },
  {
    kind: 'boxes',
    n: 3,
    columns: {
      node: u32(0, 0, 1),
      z0: f32(0, 0.5, 0.25),
      z1: f32(0.5, 1, 0.75),
      radius: f32(1, 1, 0.5),
      box_color: u32(0xff0000ff, 0xff00ff00, 0xffff0000),
      aggregate: u8(0, 0, 0),
      pick_lo: u32(100, 101, 102),
      pick_hi: u32(ENTITY, ENTITY, ENTITY),
    },
  },
  {
    kind: 'arrows',
    n: 2,
    columns: {
      a: u32(0, 1),
      b: u32(1, 0),
      za: f32(0.25, -0.5),
      zb: f32(0.75, 0.5),
      via: u32(),
      first_via: u32(0, 0, 0),
      width: f32(1, 2),
      arrow_color: u32(0xff777777, 0xff777777),
      count: u32(1, 7),
      pick_lo: u32(200, 201),
      pick_hi: u32(ENTITY, ENTITY),
    },
  },
  {
    kind: 'ribbons',
    n: 1,
    columns: {
      z: f32(0, 0.5),
      value: f32(1, 0.5),
      first_point: u32(0, 2),
      node: u32(0),
      ribbon_color: u32(0xff112233),
      title: u32(0),
      pick_lo: u32(300),
      pick_hi: u32(ENTITY),
    },
  },
  {
    kind: 'marks',
    n: 1,
    columns: {
      node: u32(1),
      z: f32(0.1),
      shape: u8(2),
      mark_color: u32(0xff445566),
      count: u32(1),
      pick_lo: u32(400),
      pick_hi: u32(ENTITY),
    },
  },
];

export const FAKE_HEADER = {
  schema: 'onca-solid/1',
  window: { from: 1000, to: 2000 },
  bases: ['graph', 'topology'],
  base: 'topology',
  layout: 'force',
  ruler: [
    { z: 0, text: '1' },
    { z: 0.5, text: '1.5' },
  ],
  ruler_title: 'time (s)',
  cable_scale: {
    title: 'load',
    stops: [{ color: '#ffee00', text: '0 %' }],
    widths: [{ width: 1, text: '1 Gbit/s' }],
    slow: null,
  },
  route: null,
  numbers: [{ a: 0, b: 1, text: '1 Mbit/s', edge: '#cc2020' }],
  texts: ['rank-0', 'rank-1', 'host-1', 'site', 'a host', 'a wire\nbandwidth  1 GB/s'],
};

export function encodeSolid(layers = FAKE_LAYERS, more: object = {}): ArrayBuffer {
  return encodeScene(layers, { ...FAKE_HEADER, ...more });
}

export function fakeSolid(more: object = {}): Solid {
  return decodeSolid(encodeSolid(FAKE_LAYERS, more));
}
