// Pointers over the plot: what is pressed, dragged, pinched and clicked.

import type { Point } from '../../lib/geometry';
import { around, within, zoomed } from '../../lib/window';
import { nodeOf } from '../../state/picks';
import { pinched, wheelMeaning } from '../stage/gestures';
import type { PointedMark } from '../stage/pointed.svelte';
import { rowAt } from './rows';
import type { Timeline } from './timeline.svelte';

/** A press that moves less is a click. */
const CLICK_PIXELS = 4;

type Press = 'pan' | 'range' | 'zoom';

interface Pressed {
  readonly press: Press;
  readonly at: Point;
  last: Point;
  moved: boolean;
}

export class PlotPointer {
  private readonly fingers = new Map<number, Point>();
  private pressed: Pressed | null = null;

  constructor(
    private readonly timeline: Timeline,
    private readonly element: HTMLElement,
  ) {}

  private placeOf(event: MouseEvent): Point {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    const at = this.placeOf(event);
    this.fingers.set(event.pointerId, at);
    const press: Press = event.shiftKey ? 'range' : event.altKey ? 'zoom' : 'pan';
    this.pressed = this.fingers.size > 1 ? null : { press, at, last: at, moved: false };
    if (this.fingers.size > 1) this.timeline.pointed.leave();
  }

  move(event: PointerEvent): void {
    const at = this.placeOf(event);
    const before = this.fingers.get(event.pointerId);
    if (before !== undefined && this.fingers.size === 2) {
      this.pinch(event.pointerId, at);
    } else if (this.pressed !== null && before !== undefined) {
      this.drag(this.pressed, at);
    } else if (event.pointerType !== 'touch') {
      this.timeline.pointed.moveTo(event, at.x, at.y, this.markAt(at));
    }
    if (before !== undefined) this.fingers.set(event.pointerId, at);
  }

  up(event: PointerEvent): void {
    const { pressed } = this;
    this.release(event);
    if (pressed === null) return;
    this.pressed = null;
    if (!pressed.moved) this.click(pressed.at, event.shiftKey);
    else this.finish(pressed);
  }

  cancel(event: PointerEvent): void {
    this.release(event);
    this.pressed = null;
    this.timeline.draft = null;
  }

  /** Forgets a drag that is going on. */
  escape(): boolean {
    const isDragging = this.timeline.draft !== null;
    this.pressed = null;
    this.timeline.draft = null;
    return isDragging;
  }

  leave(): void {
    if (this.fingers.size === 0) this.timeline.pointed.leave();
  }

  wheel(event: WheelEvent): void {
    event.preventDefault();
    const { timeline } = this;
    const { app } = timeline;
    const meaning = wheelMeaning(event, app.rowHeight !== 'fit' && timeline.mostScroll > 0);
    const length = app.trace?.length ?? 1;
    switch (meaning.kind) {
      case 'zoom': {
        const share = this.placeOf(event).x / timeline.width;
        app.setWindow(zoomed(app.window, meaning.factor, share, length), 'gesture');
        break;
      }
      case 'pan':
        this.panBy(meaning.pixels);
        break;
      case 'scroll':
        timeline.scrollBy(meaning.pixels);
        break;
    }
    const at = this.placeOf(event);
    timeline.pointed.moveTo(event, at.x, at.y, this.markAt(at));
  }

  /** Zooms to what is under the pointer, or into the place. */
  async doubleClick(event: MouseEvent): Promise<void> {
    const { app, pointed, width } = this.timeline;
    const at = this.placeOf(event);
    const mark = this.markAt(at);
    const length = app.trace?.length ?? 1;
    const { start, end } =
      mark === null ? NOWHERE : await pointed.inspect(mark).catch(() => NOWHERE);
    if (start !== null && end !== null && end > start) {
      const window = around(start, end, length);
      app.zoomTo(window.from, window.to);
    } else {
      const window = zoomed(app.window, 0.25, at.x / width, length);
      app.zoomTo(window.from, window.to);
    }
  }

  menu(event: MouseEvent): void {
    event.preventDefault();
    const { app, scene, scrollY } = this.timeline;
    const at = this.placeOf(event);
    const mark = this.markAt(at);
    this.timeline.pointed.leave();
    const row = mark && nodeOf(mark.hit.pick) !== null && mark.hit.kind === 'rects';
    const underneath = row ? rowAt(scene?.rows ?? [], at.y + scrollY) : null;
    if (underneath !== null) {
      const { nodes, name, path } = underneath;
      app.openMenu(event.clientX, event.clientY, { kind: 'row', nodes, name, path });
    } else if (mark !== null) {
      const { hit, at: time, span } = mark;
      app.openMenu(event.clientX, event.clientY, {
        kind: 'entity',
        pick: hit.pick,
        at: time,
        span,
      });
    } else {
      const time = Math.round(this.timeline.timeAt(at.x));
      app.openMenu(event.clientX, event.clientY, { kind: 'time', at: time });
    }
  }

  private release(event: PointerEvent): void {
    this.fingers.delete(event.pointerId);
    if (this.element.hasPointerCapture(event.pointerId)) {
      this.element.releasePointerCapture(event.pointerId);
    }
  }

  /** The mark at a place of the plot, with its time. */
  private markAt({ x, y }: Point): PointedMark | null {
    const { hits, transform, scene } = this.timeline;
    const hit = hits?.at(x, y, transform) ?? null;
    if (hit === null || scene === null) return null;
    if (hit.kind === 'strips') {
      const at = Math.max(Math.floor(scene.window.from + hit.box.x0), 0);
      const span = Math.max(Math.round(hit.box.x1 - hit.box.x0), 1);
      const nodes = rowAt(scene.rows, y + this.timeline.scrollY)?.nodes ?? [];
      return { hit, at, span, ...(nodes.length > 1 && { nodes }) };
    }
    const span = Math.max(Math.ceil(1 / this.timeline.pixelsPerTick), 1);
    return { hit, at: Math.max(Math.floor(this.timeline.timeAt(x)), 0), span };
  }

  private panBy(pixels: number): void {
    const { app, pixelsPerTick } = this.timeline;
    const by = pixels / pixelsPerTick;
    const { from, to } = app.window;
    app.setWindow(within({ from: from + by, to: to + by }, app.trace?.length ?? 1), 'gesture');
  }

  private drag(pressed: Pressed, at: Point): void {
    const { timeline } = this;
    const far = Math.hypot(at.x - pressed.at.x, at.y - pressed.at.y);
    if (!pressed.moved && far < CLICK_PIXELS) return;
    if (!pressed.moved) timeline.pointed.leave();
    pressed.moved = true;
    if (pressed.press === 'pan') {
      this.panBy(pressed.last.x - at.x);
      timeline.scrollBy(pressed.last.y - at.y);
    } else {
      const times = [timeline.timeAt(pressed.at.x), timeline.timeAt(at.x)].sort((a, b) => a - b);
      const length = timeline.app.trace?.length ?? 1;
      const from = Math.min(Math.max(Math.round(times[0]), 0), length - 1);
      timeline.draft = { from, to: Math.min(Math.max(Math.round(times[1]), from + 1), length) };
    }
    pressed.last = at;
  }

  private finish(pressed: Pressed): void {
    const { app, draft } = this.timeline;
    this.timeline.draft = null;
    if (draft === null) return;
    if (pressed.press === 'zoom') app.zoomTo(draft.from, draft.to);
    else app.select({ range: draft });
  }

  private pinch(id: number, at: Point): void {
    const { timeline } = this;
    const ids = [...this.fingers.keys()];
    const before = ids.map((finger) => this.fingers.get(finger) ?? at);
    const after = ids.map((finger, place) => (finger === id ? at : before[place]));
    const { app } = timeline;
    const window = pinched(
      app.window,
      timeline.width,
      [before[0], before[1]],
      [after[0], after[1]],
      app.trace?.length ?? 1,
    );
    app.setWindow(window, 'gesture');
    timeline.scrollBy((before[0].y + before[1].y - after[0].y - after[1].y) / 2);
  }

  private click(at: Point, adds: boolean): void {
    const { app, scene, scrollY } = this.timeline;
    const mark = this.markAt(at);
    if (mark === null) {
      app.selectNothing();
      return;
    }
    const nodes = rowAt(scene?.rows ?? [], at.y + scrollY)?.nodes ?? [];
    const others = adds ? app.selection.nodes.filter((node) => !nodes.includes(node)) : [];
    app.select({ pick: mark.hit.pick, nodes: [...others, ...nodes], at: mark.at, span: mark.span });
  }
}

const NOWHERE = { start: null, end: null };
