// What lies over the picture: texts, grid, marks, the selected window, outlines, the pointer.

import type { Bounds, TimelineScene } from '../../api/scene';
import { duration, type TimeBase } from '../../lib/time';
import type { Window } from '../../lib/window';
import type { MarkPlace } from '../../paint/hit';
import { drawLabels, FAMILY } from '../../paint/labels';
import { type Transform, toPage } from '../../paint/transform';
import type { Mark } from '../../state/types';
import type { CanvasColors } from '../stage/colors';
import { drawMark, drawUpright, drawVeil } from '../stage/uprights';

export interface Overlay {
  readonly scene: TimelineScene | null;
  readonly transform: Transform;
  readonly width: number;
  readonly height: number;
  readonly colors: CanvasColors;
  readonly base: TimeBase;
  /** Texts of the picture are left out where they would not fit any more. */
  readonly hasLabels: boolean;
  readonly fadesLabels: boolean;
  readonly range: Window | null;
  readonly marks: readonly Mark[];
  readonly pointerX: number | null;
  readonly selected: readonly MarkPlace[];
  readonly related: readonly MarkPlace[];
  readonly hovered: MarkPlace | null;
  /** What is told apart from everything else, on the page; `null` if nothing is. */
  readonly lit: readonly Bounds[] | null;
  readonly xOf: (time: number) => number;
}

const FADED_LABELS = 0.65;
const LENGTH_SIZE = 11;
const ARROW_REACH = 4;

export function drawOverlay(context: CanvasRenderingContext2D, overlay: Overlay): void {
  const { width, height } = overlay;
  context.clearRect(0, 0, width, height);
  if (overlay.lit !== null) drawLit(context, overlay, overlay.lit);
  if (overlay.scene !== null && overlay.hasLabels) {
    context.globalAlpha = overlay.fadesLabels ? FADED_LABELS : 1;
    drawLabels(context, overlay.scene, overlay.transform, width, height);
    context.globalAlpha = 1;
  }
  if (overlay.range !== null) drawRange(context, overlay, overlay.range);
  const { accent, text, axis } = overlay.colors;
  for (const { time, color } of overlay.marks) {
    drawMark(context, overlay, overlay.xOf(time), color || accent);
  }
  for (const place of overlay.related) outline(context, overlay, place, accent, 1);
  if (overlay.hovered !== null) outline(context, overlay, overlay.hovered, text, 1);
  for (const place of overlay.selected) outline(context, overlay, place, accent, 2);
  if (overlay.pointerX !== null) drawUpright(context, overlay, overlay.pointerX, axis);
}

/** A veil over everything but these boxes, which get an edge. */
function drawLit(
  context: CanvasRenderingContext2D,
  { width, height, colors }: Overlay,
  boxes: readonly Bounds[],
): void {
  context.fillStyle = colors.veil;
  context.fillRect(0, 0, width, height);
  context.strokeStyle = colors.text;
  context.lineWidth = 1;
  for (const { x0, y0, x1, y1 } of boxes) {
    const [left, wide] = [Math.floor(x0), Math.max(Math.round(x1 - x0), 2)];
    context.clearRect(left, y0, wide, y1 - y0);
    context.strokeRect(left + 0.5, y0 + 0.5, wide - 1, y1 - y0 - 1);
  }
}

/** A veil over what is outside, and the length of what is inside. */
function drawRange(context: CanvasRenderingContext2D, overlay: Overlay, range: Window): void {
  const { width, colors } = overlay;
  const [left, right] = [overlay.xOf(range.from), overlay.xOf(range.to)];
  drawVeil(context, overlay, colors, [left, right]);
  const text = duration(overlay.base, range.to - range.from);
  drawLength(context, colors, [left, right], width, text);
}

/** An arrow from side to side with its length on a plate. */
function drawLength(
  context: CanvasRenderingContext2D,
  colors: CanvasColors,
  [left, right]: readonly [number, number],
  width: number,
  text: string,
): void {
  context.font = `400 ${LENGTH_SIZE}px ${FAMILY}`;
  const half = context.measureText(text).width / 2 + 6;
  const [shownLeft, shownRight] = [Math.max(left, 0), Math.min(right, width)];
  if (shownRight < shownLeft) return;
  const y = 12.5;
  const middle = Math.min(Math.max((shownLeft + shownRight) / 2, half), width - half);
  context.strokeStyle = colors.accent;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(shownLeft, y);
  context.lineTo(shownRight, y);
  for (const [tip, back] of [
    [left, ARROW_REACH],
    [right, -ARROW_REACH],
  ]) {
    context.moveTo(tip + back, y - ARROW_REACH);
    context.lineTo(tip, y);
    context.lineTo(tip + back, y + ARROW_REACH);
  }
  context.stroke();
  plate(context, colors, middle, y, half, text, colors.text);
}

function plate(
  context: CanvasRenderingContext2D,
  colors: CanvasColors,
  x: number,
  y: number,
  half: number,
  text: string,
  ink: string,
): void {
  context.fillStyle = colors.raised;
  context.beginPath();
  context.roundRect(x - half, y - 9, half * 2, 18, 4);
  context.fill();
  context.stroke();
  context.fillStyle = ink;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(text, x, y + 0.5);
}

/** Around a mark, at least three pixels wide so that it can be seen; along an arrow. */
function outline(
  context: CanvasRenderingContext2D,
  { transform, width, height }: Overlay,
  { kind, box }: MarkPlace,
  color: string,
  line: number,
): void {
  const page = toPage(transform, box);
  context.strokeStyle = color;
  context.lineWidth = line;
  if (kind === 'arrows') {
    context.lineWidth = line + 1;
    context.beginPath();
    context.moveTo(page.x0, page.y0);
    context.lineTo(page.x1, page.y1);
    context.stroke();
    return;
  }
  const x0 = Math.max(Math.round(Math.min(page.x0, page.x1)), -8) - line / 2;
  const y0 = Math.round(Math.min(page.y0, page.y1)) - line / 2;
  const x1 = Math.min(Math.round(Math.max(page.x0, page.x1)), width + 8) + line / 2;
  const y1 = Math.round(Math.max(page.y0, page.y1)) + line / 2;
  if (x1 < 0 || x0 > width || y1 < 0 || y0 > height) return;
  context.strokeRect(x0, y0, Math.max(x1 - x0, 3), Math.max(y1 - y0, 3));
}
