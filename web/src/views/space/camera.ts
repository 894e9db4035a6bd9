// From where a scene in space is seen. There is no perspective, as in the figures, so that lengths
// along one direction can be compared. Base units: the base is the square from -1 to 1.

import type { Point, Size } from '../../lib/geometry';
import { clamp } from '../../lib/number';
import { type Camera, ZOOM } from '../../state/space';

export type { Point };

export interface Place extends Point {
  /** In base units; 0 is on the base. */
  readonly z: number;
}

export const PRESETS = ['iso', 'top', 'front', 'side'] as const;
export type Preset = (typeof PRESETS)[number];

const ANGLES: Readonly<Record<Preset, { azimuth: number; elevation: number }>> = {
  iso: { azimuth: 30, elevation: 28 },
  top: { azimuth: 0, elevation: 90 },
  front: { azimuth: 0, elevation: 0 },
  side: { azimuth: 90, elevation: 0 },
};

/** Room around the scene for names and times, in pixels. */
const MARGIN = { left: 76, right: 24, top: 24, bottom: 34 } as const;
const SHADES = { x: 0.14, y: 0.3 } as const;
const HEIGHT = { least: 0.5, most: 4 } as const;

/** A camera with its directions, for one frame. */
export class View {
  /** What lies to the right on the picture. */
  readonly right: Point;
  /** What leads away from the camera, along the base. */
  readonly away: Point;
  /** The sine and the cosine of the elevation. */
  readonly sine: number;
  readonly cosine: number;
  /** Pixels of a base unit. */
  readonly scale: number;
  private readonly middle: Point;

  constructor(
    readonly camera: Camera,
    readonly size: Size,
    /** How high the time axis is, in base units. */
    readonly height: number,
  ) {
    const [turn, rise] = [radians(camera.azimuth), radians(camera.elevation)];
    this.right = { x: Math.cos(turn), y: Math.sin(turn) };
    this.away = { x: -Math.sin(turn), y: Math.cos(turn) };
    [this.sine, this.cosine] = [Math.sin(rise), Math.cos(rise)];
    this.scale = plainScale(size, height) * camera.zoom;
    this.middle = this.flat({ x: camera.x, y: camera.y, z: camera.z * height });
  }

  /** Across and up, in base units. */
  private flat({ x, y, z }: Place): Point {
    const depth = x * this.away.x + y * this.away.y;
    return { x: x * this.right.x + y * this.right.y, y: depth * this.sine + z * this.cosine };
  }

  /** Where a place is on the page. */
  project(place: Place): Point {
    const { x, y } = this.flat(place);
    return {
      x: centreX(this.size) + (x - this.middle.x) * this.scale,
      y: centreY(this.size) - (y - this.middle.y) * this.scale,
    };
  }

  /** How near a place is to the eye; only differences mean something. */
  nearness({ x, y, z }: Place): number {
    return z * this.sine - (x * this.away.x + y * this.away.y) * this.cosine;
  }

  /** The places that lie behind a point of the page: one of them, and the way to the eye. */
  rayAt(point: Point): { readonly from: Place; readonly toward: Place } {
    const across = (point.x - centreX(this.size)) / this.scale + this.middle.x;
    const up = -(point.y - centreY(this.size)) / this.scale + this.middle.y;
    const { right, away, sine, cosine } = this;
    return {
      from: {
        x: across * right.x + up * sine * away.x,
        y: across * right.y + up * sine * away.y,
        z: up * cosine,
      },
      toward: { x: -away.x * cosine, y: -away.y * cosine, z: sine },
    };
  }

  /** The place of the base at a point of the page; `null` where the base is seen from its edge. */
  baseAt(point: Point): Point | null {
    if (this.sine < 0.02) return null;
    const { from, toward } = this.rayAt(point);
    const far = -from.z / toward.z;
    return { x: from.x + far * toward.x, y: from.y + far * toward.y };
  }

  /** How much darker sides along `x` and `y` are; where only one is seen, it has its own colour. */
  shades(): [number, number] {
    const turned = (along: number) => Math.min(Math.abs(along) * 4, 1);
    return [SHADES.x * turned(this.away.y), SHADES.y * turned(this.away.x)];
  }

  /** From base units to the clip space of the graphics card, by columns. */
  matrix(): number[] {
    const { width, height } = this.size;
    const [sx, sy] = [(2 * this.scale) / width, (2 * this.scale) / height];
    const shiftX = (2 * centreX(this.size)) / width - 1 - this.middle.x * sx;
    const shiftY = 1 - (2 * centreY(this.size)) / height - this.middle.y * sy;
    // Everything is within this distance of the middle of the base.
    const reach = 2 + this.height;
    const { right, away, sine, cosine } = this;
    return [
      ...[sx * right.x, sy * away.x * sine, (away.x * cosine) / reach, 0],
      ...[sx * right.y, sy * away.y * sine, (away.y * cosine) / reach, 0],
      ...[0, sy * cosine, -sine / reach, 0],
      ...[shiftX, shiftY, 0, 1],
    ];
  }
}

function centreX({ width }: Size): number {
  return (width + MARGIN.left - MARGIN.right) / 2;
}

function centreY({ height }: Size): number {
  return (height + MARGIN.top - MARGIN.bottom) / 2;
}

function room({ width, height }: Size): Size {
  return {
    width: Math.max(width - MARGIN.left - MARGIN.right, 40),
    height: Math.max(height - MARGIN.top - MARGIN.bottom, 40),
  };
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** The scale at which everything fits from all sides. */
function plainScale(size: Size, height: number): number {
  const { width, height: high } = room(size);
  return Math.min(width, high) / (2 * Math.hypot(Math.SQRT2, height / 2));
}

/** The size of the scene as it is seen from somewhere, in base units. */
function extent(azimuth: number, elevation: number, height: number): Size {
  const [turn, rise] = [radians(azimuth), radians(elevation)];
  const width = 2 * (Math.abs(Math.cos(turn)) + Math.abs(Math.sin(turn)));
  return { width, height: width * Math.sin(rise) + height * Math.cos(rise) };
}

/** A time axis as high as makes the scene fill its frame from the usual side. */
export function usualHeight(size: Size): number {
  const { width, height } = room(size);
  const { azimuth, elevation } = ANGLES.iso;
  const wide = extent(azimuth, elevation, 0);
  const high = (wide.width * height) / width;
  return clamp((high - wide.height) / Math.cos(radians(elevation)), HEIGHT.least, HEIGHT.most);
}

/** The whole scene, as large as fits. */
export function presetCamera(preset: Preset, size: Size, height: number): Camera {
  return fitted(ANGLES[preset], size, height);
}

/** The whole scene from the same side. */
export function fitted(
  { azimuth, elevation }: Pick<Camera, 'azimuth' | 'elevation'>,
  size: Size,
  height: number,
): Camera {
  const seen = extent(azimuth, elevation, height);
  const { width, height: high } = room(size);
  const scale = Math.min(width / seen.width, high / seen.height);
  const zoom = scale / plainScale(size, height);
  return { azimuth, elevation, zoom: clamp(zoom, ZOOM.least, ZOOM.most), x: 0, y: 0, z: 0.5 };
}

/** Turned by a drag. */
export function orbited(camera: Camera, dx: number, dy: number): Camera {
  const azimuth = (((camera.azimuth - dx * 0.4) % 360) + 360) % 360;
  return { ...camera, azimuth, elevation: clamp(camera.elevation + dy * 0.3, 0, 90) };
}

/** Moved so that the picture goes to the right and down, in pixels. */
export function panned(view: View, dx: number, dy: number): Camera {
  const { camera, right, away, sine, cosine } = view;
  const [across, up] = [-dx / view.scale, dy / view.scale];
  return {
    ...camera,
    x: clamp(camera.x + across * right.x + up * sine * away.x, -1, 1),
    y: clamp(camera.y + across * right.y + up * sine * away.y, -1, 1),
    z: clamp(camera.z + (up * cosine) / view.height, 0, 1),
  };
}

/** Nearer or farther; what is under the pointer stays there as far as it can. */
export function zoomedAt(view: View, factor: number, at: Point): Camera {
  const zoom = clamp(view.camera.zoom * factor, ZOOM.least, ZOOM.most);
  const ratio = zoom / view.camera.zoom;
  const dx = (at.x - centreX(view.size)) * (1 - ratio);
  const dy = (at.y - centreY(view.size)) * (1 - ratio);
  const nearer = new View({ ...view.camera, zoom }, view.size, view.height);
  return panned(nearer, dx, dy);
}

/** A camera on the way from one to another, along the shorter way around. */
export function between(from: Camera, to: Camera, share: number): Camera {
  const eased = share * share * (3 - 2 * share);
  const mix = (a: number, b: number) => a + (b - a) * eased;
  const turn = ((((to.azimuth - from.azimuth) % 360) + 540) % 360) - 180;
  if (share >= 1) return to;
  return {
    azimuth: from.azimuth + turn * eased,
    elevation: mix(from.elevation, to.elevation),
    zoom: from.zoom * (to.zoom / from.zoom) ** eased,
    x: mix(from.x, to.x),
    y: mix(from.y, to.y),
    z: mix(from.z, to.z),
  };
}
