// What a scene in space shows and from where it is seen. Plain data, as it stands in an address.

import { clamp } from '../lib/number';

export const BASES = ['graph', 'topology', 'treemap', 'coords'] as const;
export const LAYOUTS = ['nested', 'force', 'circular', 'radial', 'layered'] as const;
/** `usual` is what fits the base: nested for a network, force for who communicates with whom. */
export const BASE_LAYOUTS = ['usual', ...LAYOUTS] as const;
export const CABLE_COLORS = ['load', 'latency'] as const;
/** `usual` is containers for a hierarchy, and all machines alike for a network. */
export const CELL_SIZES = ['usual', 'containers', 'time', 'count', 'communication'] as const;

/** From where a scene is seen, as in `onca render scene3d`. */
export interface Camera {
  /** Degrees around the scene; at 0 `x` goes to the right. */
  readonly azimuth: number;
  /** Degrees above the base: 0 looks along it, 90 down on it. */
  readonly elevation: number;
  /** At 1 the scene fits whatever the angles are. */
  readonly zoom: number;
  /** What is in the middle of the picture: a place of the base, and a share of the time axis. */
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A node that was moved by hand, by its path or its name, and where on the base it is. */
export type Pin = readonly [node: string, x: number, y: number];

export interface SpaceOptions {
  /** `null` takes the first that the trace can have. */
  readonly base: (typeof BASES)[number] | null;
  readonly layout: (typeof BASE_LAYOUTS)[number];
  readonly cables: (typeof CABLE_COLORS)[number];
  readonly sizedBy: (typeof CELL_SIZES)[number];
  /** The name of a network. */
  readonly topology: string | null;
  /** Links as arrows through time. */
  readonly arrows: boolean;
  /** What nodes send each other, on the base; `null` shows it where nothing else is there. */
  readonly edges: boolean | null;
  readonly events: boolean;
  readonly variables: boolean;
  /** The critical path in place of links. */
  readonly path: boolean;
  readonly opacity: number;
  /** How high the time axis is, in units of what fits. */
  readonly stretch: number;
  /** `null` is the usual one. */
  readonly camera: Camera | null;
  readonly pins: readonly Pin[];
}

export const OPACITY = { least: 0.1, most: 1 } as const;
export const STRETCH = { least: 0.25, most: 4 } as const;
export const ZOOM = { least: 0.2, most: 60 } as const;

export const USUAL_SPACE: SpaceOptions = {
  base: null,
  layout: 'usual',
  cables: 'load',
  sizedBy: 'usual',
  topology: null,
  arrows: true,
  edges: null,
  events: false,
  variables: false,
  path: false,
  opacity: 1,
  stretch: 1,
  camera: null,
  pins: [],
};

/** On a network, or on areas, edges would hide what is there. */
export function showsEdges({ edges }: SpaceOptions, base: (typeof BASES)[number] | null): boolean {
  return edges ?? base === 'graph';
}

/** Only what is not usual, for an address. */
export function writtenSpace(space: SpaceOptions): object {
  const { camera, pins, ...rest } = space;
  const changed = Object.entries(rest).filter(
    ([name, value]) => value !== USUAL_SPACE[name as keyof SpaceOptions],
  );
  const written = camera && [
    round(camera.azimuth, 1),
    round(camera.elevation, 1),
    round(camera.zoom, 3),
    round(camera.x, 3),
    round(camera.y, 3),
    round(camera.z, 3),
  ];
  const places = pins.map(([node, x, y]) => [node, round(x, 3), round(y, 3)]);
  return {
    ...Object.fromEntries(changed),
    ...(written && { camera: written }),
    ...(places.length > 0 && { pins: places }),
  };
}

/** What an address says; what it says wrongly is the usual. */
export function readSpace(item: unknown): SpaceOptions {
  if (typeof item !== 'object' || item === null) return USUAL_SPACE;
  const fields = item as Record<string, unknown>;
  const oneOf = <T extends string>(names: readonly T[], name: string) =>
    names.find((known) => known === fields[name]);
  const number = (name: 'opacity' | 'stretch', least: number, most: number) => {
    const value = fields[name];
    return isNumber(value) ? clamp(value, least, most) : USUAL_SPACE[name];
  };
  const flag = (name: 'arrows' | 'events' | 'variables' | 'path') => {
    const value = fields[name];
    return typeof value === 'boolean' ? value : USUAL_SPACE[name];
  };
  const { topology, edges } = fields;
  return {
    base: oneOf(BASES, 'base') ?? null,
    layout: oneOf(BASE_LAYOUTS, 'layout') ?? USUAL_SPACE.layout,
    cables: oneOf(CABLE_COLORS, 'cables') ?? USUAL_SPACE.cables,
    sizedBy: oneOf(CELL_SIZES, 'sizedBy') ?? USUAL_SPACE.sizedBy,
    topology: typeof topology === 'string' ? topology : null,
    arrows: flag('arrows'),
    edges: typeof edges === 'boolean' ? edges : null,
    events: flag('events'),
    variables: flag('variables'),
    path: flag('path'),
    opacity: number('opacity', OPACITY.least, OPACITY.most),
    stretch: number('stretch', STRETCH.least, STRETCH.most),
    camera: readCamera(fields['camera']),
    pins: readPins(fields['pins']),
  };
}

function readPins(item: unknown): readonly Pin[] {
  const isPin = (one: unknown): one is [string, number, number] =>
    Array.isArray(one) && typeof one[0] === 'string' && isNumber(one[1]) && isNumber(one[2]);
  const pins = Array.isArray(item) ? item.filter(isPin) : [];
  return pins.map(([node, x, y]) => [node, clamp(x, -1, 1), clamp(y, -1, 1)] as const);
}

function readCamera(item: unknown): Camera | null {
  if (!Array.isArray(item) || item.length !== 6 || !item.every(isNumber)) return null;
  const [azimuth, elevation, zoom, x, y, z] = item as number[];
  return {
    azimuth,
    elevation: clamp(elevation, 0, 90),
    zoom: clamp(zoom, ZOOM.least, ZOOM.most),
    x: clamp(x, -1, 1),
    y: clamp(y, -1, 1),
    z: clamp(z, 0, 1),
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function round(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
