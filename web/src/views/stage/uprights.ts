// Upright lines over pictures that go over time: the sides of a selected window, marks, the pointer.

import type { Size } from '../../lib/geometry';
import type { CanvasColors } from './colors';

/** Over all but what lies between two places. */
export function drawVeil(
  context: CanvasRenderingContext2D,
  size: Size,
  colors: CanvasColors,
  [left, right]: readonly [number, number],
): void {
  const { width, height } = size;
  context.fillStyle = colors.veil;
  if (left > 0) context.fillRect(0, 0, Math.min(left, width), height);
  if (right < width) context.fillRect(Math.max(right, 0), 0, width - Math.max(right, 0), height);
  for (const x of [left, right]) drawUpright(context, size, x, colors.accent);
}

export function drawMark(
  context: CanvasRenderingContext2D,
  size: Size,
  x: number,
  color: string,
): void {
  context.setLineDash([4, 3]);
  drawUpright(context, size, x, color);
  context.setLineDash([]);
}

export function drawUpright(
  context: CanvasRenderingContext2D,
  { width, height }: Size,
  x: number,
  color: string,
): void {
  if (x < -1 || x > width + 1) return;
  const at = Math.round(x) + 0.5;
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(at, 0);
  context.lineTo(at, height);
  context.stroke();
}
