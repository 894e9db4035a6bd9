// Pointers, wheels and keys over a scene in space.

import type { Point } from '../../lib/geometry';
import type { Window } from '../../lib/window';
import { panned as pannedWindow, zoomed } from '../../lib/window';
import type { App } from '../../state/app.svelte';
import type { Camera } from '../../state/space';
import { orbited, panned, type View, zoomedAt } from './camera';
import type { SpaceHit } from './hit';

/** What a pointer needs to know of the picture, and what it can do with it. */
export interface SpaceStage {
  readonly app: App;
  readonly view: View;
  setCamera(camera: Camera): void;
  hitAt(at: Point): SpaceHit | null;
  point(event: PointerEvent, hit: SpaceHit | null): void;
  click(hit: SpaceHit | null, adds: boolean): void;
  /** Nodes that a drag of this one moves; the way is on the base, from where the drag began. */
  beginMove(node: number): void;
  moveBy(way: Point): void;
  menu(event: PointerEvent, hit: SpaceHit | null): void;
}

const CLICK_PIXELS = 4;
const WHEEL_FACTOR = 1.0015;
const KEY_PIXELS = 40;
const KEY_ZOOM = 1.15;

interface Pressed {
  readonly press: 'orbit' | 'pan' | 'move';
  readonly begin: Point;
  last: Point;
  hasMoved: boolean;
}

export class SpacePointer {
  private pressed: Pressed | null = null;

  constructor(
    private readonly stage: SpaceStage,
    private readonly element: HTMLElement,
  ) {}

  placeOf(event: MouseEvent): Point {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  down(event: PointerEvent): void {
    if (event.button > 2) return;
    this.element.setPointerCapture(event.pointerId);
    const at = this.placeOf(event);
    const press = this.pressOf(event, at);
    this.pressed = { press, begin: at, last: at, hasMoved: false };
  }

  private pressOf(event: PointerEvent, at: Point): Pressed['press'] {
    if (event.button !== 0 || event.shiftKey) return 'pan';
    const hit = this.stage.hitAt(at);
    // A drag of a node itself moves it; with Ctrl also a drag of what stands on it.
    const moves = hit?.kind === 'nodes' || (event.ctrlKey && hit?.kind === 'boxes');
    if (!moves || hit?.node == null || this.stage.view.baseAt(at) === null) return 'orbit';
    this.stage.beginMove(hit.node);
    return 'move';
  }

  move(event: PointerEvent): void {
    const at = this.placeOf(event);
    if (this.pressed === null) this.stage.point(event, this.stage.hitAt(at));
    else this.drag(this.pressed, at);
  }

  up(event: PointerEvent): void {
    const pressed = this.pressed;
    this.cancel(event);
    if (pressed === null || pressed.hasMoved) return;
    const hit = this.stage.hitAt(pressed.begin);
    if (event.button === 0) this.stage.click(hit, event.shiftKey);
    else if (event.button === 2) this.stage.menu(event, hit);
  }

  cancel(event: PointerEvent): void {
    this.pressed = null;
    if (this.element.hasPointerCapture(event.pointerId)) {
      this.element.releasePointerCapture(event.pointerId);
    }
  }

  private drag(pressed: Pressed, at: Point): void {
    const far = Math.hypot(at.x - pressed.begin.x, at.y - pressed.begin.y);
    if (!pressed.hasMoved && far < CLICK_PIXELS) return;
    pressed.hasMoved = true;
    const { stage } = this;
    const [dx, dy] = [at.x - pressed.last.x, at.y - pressed.last.y];
    pressed.last = at;
    if (pressed.press === 'pan') stage.setCamera(panned(stage.view, dx, dy));
    else if (pressed.press === 'orbit') stage.setCamera(orbited(stage.view.camera, dx, dy));
    else this.moveNodes(pressed.begin, at);
  }

  private moveNodes(begin: Point, at: Point): void {
    const { view } = this.stage;
    const [from, to] = [view.baseAt(begin), view.baseAt(at)];
    if (from !== null && to !== null) this.stage.moveBy({ x: to.x - from.x, y: to.y - from.y });
  }

  /** The wheel goes nearer and farther; with Alt it scales time, with Alt and Shift it moves it. */
  wheel(event: WheelEvent): void {
    event.preventDefault();
    const { stage } = this;
    // With Shift, browsers turn an upright wheel into one across.
    const turned = event.deltaY === 0 ? event.deltaX : event.deltaY;
    const factor = WHEEL_FACTOR ** -turned;
    if (!event.altKey) {
      stage.setCamera(zoomedAt(stage.view, factor, this.placeOf(event)));
      return;
    }
    const { app } = stage;
    const window: Window = event.shiftKey
      ? pannedWindow(app.window, -turned / 1000, app.whole.to)
      : zoomed(app.window, 1 / factor, 0.5, app.whole.to);
    app.setWindow(window, 'gesture');
  }

  /** Flies with the keys; tells whether a key meant something. */
  key(key: string): boolean {
    const way = WAYS[key.toLowerCase()];
    const { stage } = this;
    const middle = { x: stage.view.size.width / 2, y: stage.view.size.height / 2 };
    if (way !== undefined) {
      stage.setCamera(panned(stage.view, way[0] * KEY_PIXELS, way[1] * KEY_PIXELS));
    } else if (key === '+' || key === '=') {
      stage.setCamera(zoomedAt(stage.view, KEY_ZOOM, middle));
    } else if (key === '-') {
      stage.setCamera(zoomedAt(stage.view, 1 / KEY_ZOOM, middle));
    } else if (key === 'q' || key === 'e') {
      stage.setCamera(orbited(stage.view.camera, key === 'q' ? KEY_PIXELS : -KEY_PIXELS, 0));
    } else {
      return false;
    }
    return true;
  }
}

/** How the picture moves, across and down. */
const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  a: [1, 0],
  d: [-1, 0],
  w: [0, 1],
  s: [0, -1],
  arrowleft: [1, 0],
  arrowright: [-1, 0],
  arrowup: [0, 1],
  arrowdown: [0, -1],
};
