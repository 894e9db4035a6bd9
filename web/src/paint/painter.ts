// What draws scenes on canvases.

import type { Scene } from '../api/scene';
import type { Transform } from './transform';

export interface Frame {
  /** From the scene to pixels of the page. */
  readonly transform: Transform;
  /** The background of the page, as a colour of a scene. */
  readonly background: number;
  /** The colour of what stays while all else fades. */
  readonly emphasis: number | null;
}

export interface Painter {
  /** The size in pixels of the page, and how many pixels of the device one has. */
  resize(width: number, height: number, pixelRatio: number): void;
  load(scene: Scene | null): void;
  draw(frame: Frame): void;
  dispose(): void;
}

/** From one line of a hatch to the next, in pixels of the page. */
export const HATCH_STEP = 5;
/** How much of the background a line of a hatch has, as in files. */
export const HATCH_OPACITY = 0.35;
/** How much of the background what fades takes on. */
export const FADE = 0.55;

/** Gives a canvas as many pixels as the screen has. */
export function fitCanvas(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  pixelRatio: number,
): void {
  const [wide, high] = [Math.round(width * pixelRatio), Math.round(height * pixelRatio)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
}
