// @vitest-environment happy-dom

import { beforeEach, expect, it } from 'vitest';
import { spanOf } from '../../lib/window';
import { fakeNavigation, LENGTH } from '../../state/fake_navigation';
import { type OverTime, panBy, pinchTime, rangeDrag, zoomAt } from './over_time';
import type { Pointing } from './pointer';

const WIDTH = 100;
const HERE = { x: 0, y: 0 };

let stage: OverTime;
let pane: ReturnType<typeof fakeNavigation>;

beforeEach(() => {
  pane = fakeNavigation();
  stage = {
    pane,
    axis: pane,
    width: WIDTH,
    draft: null,
    timeAt: (x) => pane.window.from + (x / WIDTH) * spanOf(pane.window),
  };
});

const press = (x: number, keys: Partial<Pointing> = {}): Pointing => ({
  at: { x, y: 0 },
  page: HERE,
  button: 0,
  shift: false,
  alt: false,
  control: false,
  ...keys,
});

it('a plain drag selects nothing', () => {
  expect(rangeDrag(stage, press(20))).toBeNull();
});

it('a drag with Shift selects a window, either way', () => {
  const drag = rangeDrag(stage, press(60, { shift: true }));
  drag?.move({ x: 20, y: 0 }, HERE);
  expect(stage.draft).toEqual({ from: 200, to: 600 });
  drag?.end?.();
  expect(stage.draft).toBeNull();
  expect(pane.selection.range).toEqual({ from: 200, to: 600 });
  expect(pane.window).toEqual({ from: 0, to: LENGTH });
});

it('a drag with Alt zooms to a window', () => {
  const drag = rangeDrag(stage, press(20, { alt: true }));
  drag?.move({ x: 60, y: 0 }, HERE);
  drag?.end?.();
  expect(pane.window).toEqual({ from: 200, to: 600 });
  expect(pane.selection.range).toBeNull();
});

it('a window that is selected ends where the trace does, and lasts a tick at least', () => {
  const drag = rangeDrag(stage, press(90, { shift: true }));
  drag?.move({ x: 150, y: 0 }, HERE);
  expect(stage.draft).toEqual({ from: 900, to: LENGTH });
  drag?.move({ x: 90, y: 0 }, HERE);
  expect(stage.draft).toEqual({ from: 900, to: 901 });
});

it('a drag that is taken back selects nothing', () => {
  const drag = rangeDrag(stage, press(20, { shift: true }));
  drag?.move({ x: 60, y: 0 }, HERE);
  drag?.cancel?.();
  expect(stage.draft).toBeNull();
  expect(pane.selection.range).toBeNull();
});

it('the time under the pointer stays there, and a window stays in the trace', () => {
  zoomAt(stage, 0.5, 40);
  expect(pane.window).toEqual({ from: 200, to: 700 });
  expect(stage.timeAt(40)).toBe(400);
  panBy(stage, 10);
  expect(pane.window).toEqual({ from: 250, to: 750 });
  panBy(stage, 1000);
  expect(pane.window).toEqual({ from: 500, to: LENGTH });
});

it('the times under two fingers stay under them', () => {
  const at = (x: number) => ({ x, y: 0 });
  pinchTime(stage, [at(20), at(40)], [at(10), at(50)]);
  expect([stage.timeAt(10), stage.timeAt(50)]).toEqual([200, 400]);
});
