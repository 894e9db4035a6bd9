// Pointers and wheels over a scene: the same gestures as in the timeline, as far as they make sense.

import type { Point, Size } from '../../lib/geometry';
import { spanOf, type Window, within, zoomed } from '../../lib/window';
import type { Hit } from '../../paint/hit';
import type { App } from '../../state/app.svelte';
import { pinched, wheelMeaning } from '../stage/gestures';
import { type Magnified, magnified, moved, pinchedPicture } from './place';

/** What a pointer needs to know of the picture, and what it can do with it. */
export interface SceneStage {
  readonly app: App;
  readonly size: Size;
  readonly isOverTime: boolean;
  readonly hasLevels: boolean;
  /** A drag marks a part from left to right. */
  readonly hasBrush: boolean;
  magnified: Magnified;
  draft: Window | null;
  level(step: -1 | 1): void;
  /** A part is being marked, or was, in pixels from the left. */
  brush(from: number, to: number, isDone: boolean): void;
  hitAt(x: number, y: number): Hit | null;
  point(at: { hit: Hit | null; x: number; y: number; page: { x: number; y: number } }): void;
  click(hit: Hit | null, adds: boolean): void;
  /** `share` tells where in the width. */
  doubleClick(hit: Hit | null, share: number): void;
}

/** A press that moves less is a click. */
const CLICK_PIXELS = 4;
/** A wheel turns by so many pixels for a level. */
const LEVEL_PIXELS = 60;

interface Pressed {
  readonly press: 'pan' | 'range' | 'zoom';
  readonly x: number;
  readonly y: number;
  lastX: number;
  lastY: number;
  hasMoved: boolean;
}

export class ScenePointer {
  private readonly fingers = new Map<number, Point>();
  private pressed: Pressed | null = null;
  private turned = 0;

  constructor(
    private readonly stage: SceneStage,
    private readonly element: HTMLElement,
  ) {}

  private placeOf(event: MouseEvent): { x: number; y: number } {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    const { x, y } = this.placeOf(event);
    this.fingers.set(event.pointerId, { x, y });
    if (this.fingers.size > 1) {
      this.pressed = null;
      return;
    }
    const press = event.shiftKey ? 'range' : event.altKey ? 'zoom' : 'pan';
    this.pressed = { press, x, y, lastX: x, lastY: y, hasMoved: false };
  }

  move(event: PointerEvent): void {
    const { x, y } = this.placeOf(event);
    const before = this.fingers.get(event.pointerId);
    if (before !== undefined && this.fingers.size === 2) this.pinch(event.pointerId, { x, y });
    else if (this.pressed !== null) this.drag(this.pressed, x, y);
    else this.pointAt(event, x, y);
    if (before !== undefined) this.fingers.set(event.pointerId, { x, y });
  }

  up(event: PointerEvent): void {
    const { pressed, stage } = this;
    this.cancel(event);
    if (pressed === null) return;
    if (!pressed.hasMoved) stage.click(stage.hitAt(pressed.x, pressed.y), event.shiftKey);
    else this.finish(pressed);
  }

  cancel(event: PointerEvent): void {
    this.pressed = null;
    this.fingers.delete(event.pointerId);
    if (this.element.hasPointerCapture(event.pointerId)) {
      this.element.releasePointerCapture(event.pointerId);
    }
  }

  doubleClick(event: MouseEvent): void {
    const { x, y } = this.placeOf(event);
    this.stage.doubleClick(this.stage.hitAt(x, y), x / this.stage.size.width);
  }

  wheel(event: WheelEvent): void {
    event.preventDefault();
    const { stage } = this;
    const at = this.placeOf(event);
    const meaning = wheelMeaning(event, stage.hasLevels);
    if (meaning.kind === 'scroll') this.turn(meaning.pixels);
    else if (meaning.kind === 'pan') this.panBy(-meaning.pixels, 0);
    else if (stage.isOverTime) this.zoomTime(meaning.factor, at.x);
    else stage.magnified = magnified(stage.magnified, 1 / meaning.factor, at, stage.size);
    this.pointAt(event, at.x, at.y);
  }

  /** Down is deeper. */
  private turn(pixels: number): void {
    this.turned += pixels;
    if (Math.abs(this.turned) < LEVEL_PIXELS) return;
    this.stage.level(this.turned > 0 ? 1 : -1);
    this.turned = 0;
  }

  private pointAt(event: MouseEvent, x: number, y: number): void {
    const page = { x: event.clientX, y: event.clientY };
    this.stage.point({ hit: this.stage.hitAt(x, y), x, y, page });
  }

  /** What is under two fingers stays under them. */
  private pinch(id: number, at: Point): void {
    const { app, size, isOverTime } = this.stage;
    const ids = [...this.fingers.keys()];
    const before = ids.map((finger) => this.fingers.get(finger) ?? at);
    const after = ids.map((finger, place) => (finger === id ? at : (before[place] ?? at)));
    const [[a = at, b = at], [c = at, d = at]] = [before, after];
    if (isOverTime) {
      app.setWindow(pinched(app.window, size.width, [a, b], [c, d], app.whole.to), 'gesture');
    } else {
      this.stage.magnified = pinchedPicture(this.stage.magnified, [a, b], [c, d], size);
    }
  }

  private zoomTime(factor: number, x: number): void {
    const { app, size } = this.stage;
    app.setWindow(zoomed(app.window, factor, x / size.width, app.whole.to), 'gesture');
  }

  private panBy(dx: number, dy: number): void {
    const { app, size, isOverTime } = this.stage;
    if (!isOverTime) {
      this.stage.magnified = moved(this.stage.magnified, dx, dy, size);
      return;
    }
    const { from, to } = app.window;
    const by = (-dx / size.width) * (to - from);
    if (from + by >= 0 && to + by <= app.whole.to) {
      app.setWindow(within({ from: from + by, to: to + by }, app.whole.to), 'gesture');
    }
  }

  private drag(pressed: Pressed, x: number, y: number): void {
    if (!pressed.hasMoved && Math.hypot(x - pressed.x, y - pressed.y) < CLICK_PIXELS) return;
    pressed.hasMoved = true;
    const { stage } = this;
    if (stage.hasBrush) {
      stage.brush(Math.min(pressed.x, x), Math.max(pressed.x, x), false);
    } else if (pressed.press === 'pan' || !stage.isOverTime) {
      this.panBy(x - pressed.lastX, y - pressed.lastY);
    } else {
      const [from, to] = [this.timeAt(pressed.x), this.timeAt(x)].sort((a, b) => a - b);
      stage.draft = from < to ? { from, to } : null;
    }
    pressed.lastX = x;
    pressed.lastY = y;
  }

  private timeAt(x: number): number {
    const { app, size } = this.stage;
    const time = app.window.from + (x / size.width) * spanOf(app.window);
    return Math.round(Math.min(Math.max(time, 0), app.whole.to));
  }

  private finish(pressed: Pressed): void {
    const { app, draft, hasBrush } = this.stage;
    if (hasBrush) {
      const ends = [pressed.x, pressed.lastX] as const;
      this.stage.brush(Math.min(...ends), Math.max(...ends), true);
      return;
    }
    this.stage.draft = null;
    if (draft === null) return;
    if (pressed.press === 'zoom') app.zoomTo(draft.from, draft.to);
    else app.select({ range: draft });
  }
}
