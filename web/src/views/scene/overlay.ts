// What lies over the picture of a scene: texts, outlines, marks, the selected window, amounts.

import type { Bounds, Scene } from '../../api/scene';
import { axisTicks } from '../../lib/axis';
import type { Size } from '../../lib/geometry';
import { spanOf, type Window } from '../../lib/window';
import type { MarkPlace } from '../../paint/hit';
import { drawLabels, FAMILY } from '../../paint/labels';
import { type Transform, toPage } from '../../paint/transform';
import type { Mark } from '../../state/types';
import type { CanvasColors } from '../stage/colors';
import { drawMark, drawVeil } from '../stage/uprights';

export interface SceneOverlay {
  readonly scene: Scene;
  readonly transform: Transform;
  readonly size: Size;
  readonly colors: CanvasColors;
  readonly selected: readonly Bounds[];
  readonly frames: readonly Bounds[];
  readonly hovered: MarkPlace | null;
  readonly hasAmounts: boolean;
  /** A part that is marked, from left to right in the space of the scene. */
  readonly brushed: Window | null;
  readonly times: {
    readonly seen: Window;
    readonly range: Window | null;
    readonly marks: readonly Mark[];
  } | null;
}

const AMOUNT_ROOM = 44;
const AMOUNT_SIZE = 11;

export function drawSceneOverlay(context: CanvasRenderingContext2D, overlay: SceneOverlay): void {
  const { scene, transform, size, colors } = overlay;
  context.clearRect(0, 0, size.width, size.height);
  if (overlay.hasAmounts) drawAmounts(context, overlay);
  drawLabels(context, scene, transform, size.width, size.height);
  drawTimes(context, overlay);
  if (overlay.brushed !== null) drawBrushed(context, overlay, overlay.brushed);
  for (const box of overlay.frames) outline(context, transform, box, colors.text, 1);
  const { hovered } = overlay;
  if (hovered !== null && hovered.kind === 'rects') {
    outline(context, transform, hovered.box, colors.text, 2);
  }
  for (const box of overlay.selected) outline(context, transform, box, colors.accent, 2);
}

function drawTimes(context: CanvasRenderingContext2D, overlay: SceneOverlay): void {
  const { size, colors, times } = overlay;
  if (times === null) return;
  const xOf = (time: number) => ((time - times.seen.from) / spanOf(times.seen)) * size.width;
  if (times.range !== null) {
    drawVeil(context, size, colors, [xOf(times.range.from), xOf(times.range.to)]);
  }
  for (const { time, color } of times.marks) {
    drawMark(context, size, xOf(time), color || colors.accent);
  }
}

function drawBrushed(
  context: CanvasRenderingContext2D,
  { transform, size, colors }: SceneOverlay,
  { from, to }: Window,
): void {
  const { scaleX, shiftX } = transform;
  drawVeil(context, size, colors, [from * scaleX + shiftX, to * scaleX + shiftX]);
}

/** Round numbers of the upright axis, each on a faint line. */
function drawAmounts(context: CanvasRenderingContext2D, overlay: SceneOverlay): void {
  const { scene, transform, size, colors } = overlay;
  const [least, most] = [scene.view.y0, scene.view.y1].sort((a, b) => a - b);
  const { at, decimals } = axisTicks(
    least,
    most,
    Math.max(Math.floor(size.height / AMOUNT_ROOM), 1),
  );
  context.font = `400 ${AMOUNT_SIZE}px ${FAMILY}`;
  context.textAlign = 'left';
  context.textBaseline = 'bottom';
  for (const amount of at) {
    const y = Math.round(amount * transform.scaleY + transform.shiftY) - 0.5;
    if (y < AMOUNT_SIZE + 2 || y > size.height - 2) continue;
    context.strokeStyle = colors.axis;
    context.globalAlpha = 0.5;
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(size.width, y);
    context.stroke();
    context.globalAlpha = 1;
    const text = amount.toFixed(decimals);
    context.fillStyle = colors.background;
    context.fillRect(3, y - 15, context.measureText(text).width + 4, 14);
    context.fillStyle = colors.text;
    context.fillText(text, 5, y - 1);
  }
}

function outline(
  context: CanvasRenderingContext2D,
  transform: Transform,
  box: Bounds,
  color: string,
  line: number,
): void {
  const page = toPage(transform, box);
  const [x0, x1] = [Math.min(page.x0, page.x1), Math.max(page.x0, page.x1)];
  const [y0, y1] = [Math.min(page.y0, page.y1), Math.max(page.y0, page.y1)];
  context.strokeStyle = color;
  context.lineWidth = line;
  // Inside of the mark: at the border of the picture it would be cut off.
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
