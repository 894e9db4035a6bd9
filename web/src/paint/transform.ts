// From the space of a scene to pixels of the page, and back.

import type { Bounds } from '../api/scene';

/** `x` becomes `x * scaleX + shiftX`, and the same for `y`. */
export interface Transform {
  readonly scaleX: number;
  readonly shiftX: number;
  readonly scaleY: number;
  readonly shiftY: number;
}

/** Fills a frame of this size with a part of view space. */
export function fitting(view: Bounds, width: number, height: number): Transform {
  const scale = (from: number, to: number, room: number) => (to === from ? 0 : room / (to - from));
  const scaleX = scale(view.x0, view.x1, width);
  const scaleY = scale(view.y0, view.y1, height);
  return { scaleX, shiftX: -view.x0 * scaleX, scaleY, shiftY: -view.y0 * scaleY };
}

export function toScene(transform: Transform, x: number, y: number): [number, number] {
  const { scaleX, shiftX, scaleY, shiftY } = transform;
  return [(x - shiftX) / scaleX, (y - shiftY) / scaleY];
}

export function toPage(transform: Transform, box: Bounds): Bounds {
  const { scaleX, shiftX, scaleY, shiftY } = transform;
  return {
    x0: box.x0 * scaleX + shiftX,
    y0: box.y0 * scaleY + shiftY,
    x1: box.x1 * scaleX + shiftX,
    y1: box.y1 * scaleY + shiftY,
  };
}
