// The ruler above the picture: round times, marks with their names, and the time between marks.

import { difference, duration, ruler, type TimeBase, timeText } from '../../lib/time';
import { spanOf, type Window } from '../../lib/window';
import { FAMILY } from '../../paint/labels';
import type { Mark } from '../../state/types';
import type { CanvasColors } from './colors';

export interface RulerPicture {
  readonly width: number;
  readonly window: Window;
  readonly base: TimeBase;
  readonly colors: CanvasColors;
  readonly marks: readonly Mark[];
  readonly range: Window | null;
  readonly pointerX: number | null;
  readonly hasUnit: boolean;
}

const TICKS_HEIGHT = 24;
const MARKS_HEIGHT = 18;
const TICK_SIZE = 11;
/** A tick text needs about this much room. */
const TICK_ROOM = 92;
const MINOR_PARTS = 5;
const NAME_GAP = 4;

export function rulerHeight(marks: readonly Mark[]): number {
  return TICKS_HEIGHT + (marks.length > 0 ? MARKS_HEIGHT : 0);
}

/** What the numbers of the ruler count: `ms`, `µs after 1.2 s`. */
export function rulerUnit(base: TimeBase, window: Window): string {
  return ruler(base, window.from, window.to, 1).unit;
}

export function drawRuler(context: CanvasRenderingContext2D, picture: RulerPicture): void {
  const { width, colors, range } = picture;
  const height = rulerHeight(picture.marks);
  const xOf = (time: number) =>
    ((time - picture.window.from) / spanOf(picture.window)) * picture.width;
  context.clearRect(0, 0, width, height);
  context.font = `400 ${TICK_SIZE}px ${FAMILY}`;
  context.textBaseline = 'middle';
  if (range !== null) {
    context.globalAlpha = 0.18;
    context.fillStyle = colors.accent;
    context.fillRect(xOf(range.from), 0, xOf(range.to) - xOf(range.from), height);
    context.globalAlpha = 1;
  }
  drawTicks(context, picture, height, xOf);
  drawMarks(context, picture, xOf);
  drawPointer(context, picture);
}

function drawTicks(
  context: CanvasRenderingContext2D,
  { width, window, base, colors, hasUnit }: RulerPicture,
  height: number,
  xOf: (time: number) => number,
): void {
  const most = Math.max(Math.floor(width / TICK_ROOM), 1);
  const { ticks, step, unit } = ruler(base, window.from, window.to, most);
  context.strokeStyle = colors.axis;
  context.lineWidth = 1;
  context.beginPath();
  // One more at the left, for the parts that reach into the window.
  const first = ticks[0]?.at ?? 0;
  for (const at of [first - step, ...ticks.map((tick) => tick.at)]) {
    for (let part = 0; part < MINOR_PARTS; part += 1) {
      const x = Math.round(xOf(at + (step * part) / MINOR_PARTS)) + 0.5;
      context.moveTo(x, height);
      context.lineTo(x, height - (part === 0 ? 6 : 3));
    }
  }
  context.stroke();
  context.fillStyle = colors.muted;
  context.textAlign = 'center';
  const shown = ticks.filter(({ at }) => xOf(at) >= -1 && xOf(at) <= width + 1);
  for (const [place, { at, text: number }] of shown.entries()) {
    const text = hasUnit && place === 0 ? `${number} ${unit}` : number;
    const half = context.measureText(text).width / 2;
    const x = xOf(at);
    // The text of a tick at the border moves inside.
    context.fillText(text, Math.min(Math.max(x, half + 3), width - half - 3), 9);
  }
}

function drawMarks(
  context: CanvasRenderingContext2D,
  { width, base, colors, marks }: RulerPicture,
  xOf: (time: number) => number,
): void {
  const y = TICKS_HEIGHT + MARKS_HEIGHT / 2 - 4;
  const sorted = [...marks].sort((a, b) => a.time - b.time);
  for (const [place, mark] of sorted.entries()) {
    const x = xOf(mark.time);
    const next = sorted[place + 1];
    const room = (next === undefined ? width : xOf(next.time)) - x;
    const end = x + drawFlag(context, mark, x, y, Math.min(room, width - x), colors);
    if (next === undefined) continue;
    // The measure between neighbours stands where the name leaves room.
    const text = `Δ ${duration(base, next.time - mark.time)}`;
    const wide = context.measureText(text).width;
    const middle = (end + x + room) / 2;
    if (x + room - end < wide + 12 || middle < 0 || middle > width) continue;
    context.fillStyle = colors.muted;
    context.textAlign = 'center';
    context.fillText(text, middle, y + 0.5);
  }
}

/** Draws a flag with the name of a mark and returns how wide it is. */
function drawFlag(
  context: CanvasRenderingContext2D,
  mark: Mark,
  x: number,
  y: number,
  room: number,
  colors: CanvasColors,
): number {
  const name = shortened(context, mark.name, room - 3 * NAME_GAP);
  const wide = name === '' ? 6 : context.measureText(name).width + 2 * NAME_GAP;
  context.fillStyle = mark.color || colors.accent;
  context.fillRect(Math.round(x), y - 7, 2, MARKS_HEIGHT + 4);
  if (name === '') {
    context.fillRect(Math.round(x), y - 7, 6, 6);
    return wide;
  }
  context.globalAlpha = 0.22;
  context.fillRect(Math.round(x) + 2, y - 7, wide, 14);
  context.globalAlpha = 1;
  context.fillStyle = colors.text;
  context.textAlign = 'left';
  context.fillText(name, Math.round(x) + 2 + NAME_GAP, y + 0.5);
  return wide + 2;
}

function shortened(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  for (let end = text.length - 1; end > 1; end -= 1) {
    const short = `${text.slice(0, end)}…`;
    if (context.measureText(short).width <= room) return short;
  }
  return '';
}

/** The time under the pointer, and how far it is from the begin of the selected window. */
function drawPointer(context: CanvasRenderingContext2D, picture: RulerPicture): void {
  const { width, window, base, colors, range, pointerX: x } = picture;
  if (x === null) return;
  const resolution = spanOf(window) / width;
  const time = window.from + x * resolution;
  const since = range === null ? '' : `  ${difference(base, time - range.from)}`;
  const text = `${timeText(base, time, resolution)}${since}`;
  const half = context.measureText(text).width / 2 + 6;
  const middle = Math.min(Math.max(x, half), width - half);
  context.fillStyle = colors.text;
  context.beginPath();
  context.roundRect(middle - half, 1, half * 2, 17, 4);
  context.fill();
  context.fillStyle = colors.background;
  context.textAlign = 'center';
  context.fillText(text, middle, 10);
}
