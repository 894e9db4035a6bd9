// What lies over a picture: texts, outlines, marks, the selected window, amounts, the pointer.

import type { Bounds, Scene } from '../../api/scene';
import type { UprightAxis } from '../../api/types';
import type { Size } from '../../lib/geometry';
import { duration } from '../../lib/time';
import type { MarkPlace } from '../../paint/hit';
import { drawLabels, FAMILY } from '../../paint/labels';
import { type Transform, toPage } from '../../paint/transform';
import { type CanvasColors, canvasColors } from './colors';
import type { Stage } from './stage.svelte';
import { drawMark, drawUpright, drawVeil } from './uprights';

export interface Outline {
  readonly place: Pick<MarkPlace, 'kind' | 'box'>;
  readonly color: 'text' | 'accent';
  readonly line: number;
  /** Inside of the mark: at the border of the picture it would be cut off. */
  readonly isInside?: boolean;
}

export interface Overlay {
  readonly scene: Scene | null;
  readonly transform: Transform;
  /** How opaque the texts of the picture are; 0 leaves them out. */
  readonly labels: number;
  readonly isOverTime: boolean;
  /** A part that is marked, in the space of the scene. */
  readonly brushed?: Bounds | null;
  /** What is told apart from everything else, on the page; `null` if nothing is. */
  readonly lit?: readonly Bounds[] | null;
  /** The last one lies above all others. */
  readonly outlines: readonly Outline[];
}

const AMOUNT_SIZE = 11;
const LENGTH_SIZE = 11;
const ARROW_REACH = 4;

export function drawOverlay(
  context: CanvasRenderingContext2D,
  stage: Stage,
  overlay: Overlay,
): void {
  const { size } = stage;
  const { scene, transform, lit = null, brushed = null } = overlay;
  const colors = canvasColors(stage.desk.theme);
  context.clearRect(0, 0, size.width, size.height);
  if (lit !== null) drawLit(context, size, colors, lit);
  if (brushed !== null) drawLit(context, size, colors, [toPage(transform, brushed)]);
  if (scene?.upright) drawAmounts(context, size, colors, scene.upright, transform);
  if (scene !== null && overlay.labels > 0) {
    context.globalAlpha = overlay.labels;
    drawLabels(context, scene, transform, size.width, size.height);
    context.globalAlpha = 1;
  }
  if (overlay.isOverTime) drawTimes(context, stage, colors);
  for (const { place, color, line, isInside } of overlay.outlines) {
    context.strokeStyle = colors[color];
    (isInside ? outlineInside : outline)(context, size, transform, place, line);
  }
  if (overlay.isOverTime && stage.pointing !== null) {
    drawUpright(context, size, stage.pointing.at.x, colors.axis);
  }
}

/** The selected window, with a veil over what is outside and the length of what is inside; marks. */
function drawTimes(context: CanvasRenderingContext2D, stage: Stage, colors: CanvasColors): void {
  const { size, pane } = stage;
  const { base } = pane.session;
  const isOfTrace = stage.axis === pane;
  const range = stage.draft ?? (isOfTrace ? pane.selection.range : null);
  if (range !== null) {
    const sides = [stage.xOf(range.from), stage.xOf(range.to)] as const;
    drawVeil(context, size, colors, sides);
    if (base !== null) {
      drawLength(context, colors, sides, size.width, duration(base, range.to - range.from));
    }
  }
  if (!isOfTrace) return;
  for (const { time, end, row, color } of pane.navigation.marks) {
    // A note on a row has its place there.
    if (row !== undefined) continue;
    for (const at of [time, ...(end === undefined ? [] : [end])]) {
      drawMark(context, size, stage.xOf(at), color || colors.accent);
    }
  }
}

/** A veil over everything but these boxes, which get an edge. */
function drawLit(
  context: CanvasRenderingContext2D,
  { width, height }: Size,
  colors: CanvasColors,
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

/** The amounts of the upright axis, each on a faint line. */
function drawAmounts(
  context: CanvasRenderingContext2D,
  size: Size,
  colors: CanvasColors,
  { name, marks }: UprightAxis,
  transform: Transform,
): void {
  context.font = `400 ${AMOUNT_SIZE}px ${FAMILY}`;
  context.textAlign = 'left';
  context.textBaseline = 'bottom';
  const shown = marks
    .map(({ at, text }) => ({
      text,
      y: Math.round(at * transform.scaleY + transform.shiftY) - 0.5,
    }))
    .filter(({ y }) => y >= AMOUNT_SIZE + 2 && y <= size.height - 2)
    .sort((a, b) => a.y - b.y);
  for (const [place, { text, y }] of shown.entries()) {
    context.strokeStyle = colors.axis;
    context.globalAlpha = 0.3;
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(size.width, y);
    context.stroke();
    context.globalAlpha = 1;
    // The highest amount tells what all of them are.
    writeAmount(context, colors, place === 0 && name !== '' ? `${text}  ${name}` : text, y);
  }
}

function writeAmount(
  context: CanvasRenderingContext2D,
  colors: CanvasColors,
  text: string,
  y: number,
): void {
  context.fillStyle = colors.background;
  context.fillRect(3, y - 15, context.measureText(text).width + 4, 14);
  context.fillStyle = colors.text;
  context.fillText(text, 5, y - 1);
}

/** Around a mark, at least three pixels wide so that it can be seen; along an arrow. */
function outline(
  context: CanvasRenderingContext2D,
  { width, height }: Size,
  transform: Transform,
  { kind, box }: Outline['place'],
  line: number,
): void {
  const page = toPage(transform, box);
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

function outlineInside(
  context: CanvasRenderingContext2D,
  _: Size,
  transform: Transform,
  { box }: Outline['place'],
  line: number,
): void {
  const page = toPage(transform, box);
  const [x0, x1] = [Math.min(page.x0, page.x1), Math.max(page.x0, page.x1)];
  const [y0, y1] = [Math.min(page.y0, page.y1), Math.max(page.y0, page.y1)];
  context.lineWidth = line;
  const inset = line / 2;
  const wide = Math.max(x1 - x0 - line, 2);
  const high = Math.max(y1 - y0 - line, 2);
  context.strokeRect(
    Math.round(x0) + inset,
    Math.round(y0) + inset,
    Math.round(wide),
    Math.round(high),
  );
}
