// The room of a scene: the two walls behind it with lines at round times, the frame of the base,
// and what somebody marked in time.

import type { RulerTick } from '../../api/solid';
import { mixed, parseHex } from '../../lib/color';
import type { Point } from '../../lib/geometry';
import type { CanvasColors } from '../stage/colors';
import type { View } from './camera';
import { Strokes, Surfaces } from './mesh';

const LINE_PX = 1;
const MARK_PX = 1.5;

/** A time that is marked around the scene, as a share of the time axis. */
export interface Level {
  readonly z: number;
  readonly color: number;
}

export interface Room {
  readonly walls: Surfaces;
  readonly lines: Strokes;
}

const SQUARE: readonly Point[] = [
  { x: -1, y: -1 },
  { x: 1, y: -1 },
  { x: 1, y: 1 },
  { x: -1, y: 1 },
];

export function roomOf(
  view: View,
  ruler: readonly RulerTick[],
  levels: readonly Level[],
  colors: CanvasColors,
): Room {
  const [walls, lines] = [new Surfaces(), new Strokes()];
  const of = (name: keyof CanvasColors) => parseHex(colors[name]) ?? 0xff808080;
  const [grid, axis] = [of('grid'), of('axis')];
  const { away, cosine } = view;
  const far = { x: away.x >= 0 ? 1 : -1, y: away.y >= 0 ? 1 : -1 };
  const behind = [
    { from: { x: far.x, y: -1 }, to: { x: far.x, y: 1 }, away: away.x },
    { from: { x: -1, y: far.y }, to: { x: 1, y: far.y }, away: away.y },
  ];
  const seen = behind.filter((wall) => cosine > 0.01 && Math.abs(wall.away) > 0.01);
  for (const { from, to, away: turned } of seen) {
    const shade = mixed(of('background'), grid, turned > 0 ? 0.25 : 0.4);
    walls.polygon(
      [
        [from.x, from.y, 0],
        [to.x, to.y, 0],
        [to.x, to.y, 1],
        [from.x, from.y, 1],
      ],
      shade,
    );
    for (const { z } of ruler) {
      lines.line([from.x, from.y, z], [to.x, to.y, z], LINE_PX, mixed(grid, axis, 0.2));
    }
    lines.line([from.x, from.y, 1], [to.x, to.y, 1], LINE_PX, grid);
    for (const end of [from, to]) lines.line([end.x, end.y, 0], [end.x, end.y, 1], LINE_PX, grid);
  }
  around(lines, 0, LINE_PX, axis);
  for (const { z, color } of levels) {
    if (z >= 0 && z <= 1) around(lines, z, MARK_PX, color);
  }
  return { walls, lines };
}

function around(lines: Strokes, z: number, width: number, color: number): void {
  for (const [corner, from] of SQUARE.entries()) {
    const to = SQUARE[(corner + 1) % SQUARE.length] ?? from;
    lines.line([from.x, from.y, z], [to.x, to.y, z], width, color);
  }
}

/** The upright edge at the left, where there is room for times. */
export function rulerCorner(view: View): Point {
  const [first, ...rest] = SQUARE.map((corner) => ({
    corner,
    left: view.project({ ...corner, z: 0 }).x,
  }));
  const leftmost = rest.reduce((best, one) => (one.left < best.left - 0.5 ? one : best), first);
  return leftmost?.corner ?? { x: -1, y: -1 };
}
