// The one machine for pointers: it turns what mice, pens and fingers do over an element into
// gestures. What a gesture means is up to the picture in the element.

import type { Point } from '../../lib/geometry';
import { readingSize } from '../../lib/reading';

export interface Pointing {
  /** In pixels from the left top of the element. */
  readonly at: Point;
  readonly page: Point;
  readonly button: number;
  readonly shift: boolean;
  readonly alt: boolean;
  readonly control: boolean;
}

export interface Drag {
  /** `by` is the way since the last call. */
  move(at: Point, by: Point): void;
  end?(): void;
  /** Taken back by Escape, by a second finger or by the browser; `end` is not called then. */
  cancel?(): void;
}

export type Fingers = readonly [Point, Point];

export interface Gestures {
  /** All buttons drag, and the right one opens the menu only where it did not drag. */
  readonly dragsWithAllButtons?: boolean;
  /** What a drag does that begins here; nothing if there is none. */
  drag?(press: Pointing): Drag | null;
  click?(press: Pointing): void;
  doubleClick?(press: Pointing): void;
  menu?(press: Pointing): void;
  wheel?(pointing: Pointing, event: WheelEvent): void;
  pinch?(before: Fingers, after: Fingers): void;
  /** A pointer moves and presses nothing. */
  hover?(pointing: Pointing): void;
  /** Nothing is pointed at any more: the pointer is gone, or it drags. */
  leave?(): void;
}

/** A press that moves less is a click. */
const CLICK_PIXELS = 4;
const RIGHT_BUTTON = 2;

interface Press {
  readonly begin: Pointing;
  last: Point;
  /** `undefined` until it has moved far enough. */
  drag: Drag | null | undefined;
}

export class PointerMachine {
  readonly #gestures: Gestures;
  readonly #fingers = new Map<number, Point>();
  #press: Press | null = null;

  constructor(gestures: Gestures) {
    this.#gestures = gestures;
  }

  /** Follows the pointers over an element until the answer is called. */
  readonly listen = (element: HTMLElement): (() => void) => {
    const listeners = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(
      name: K,
      react: (event: HTMLElementEventMap[K]) => void,
      // A passive listener could not keep the page itself from zooming with the wheel.
    ) => element.addEventListener(name, react, { passive: false, signal: listeners.signal });
    const pointingOf = (event: MouseEvent): Pointing => {
      const { left, top } = element.getBoundingClientRect();
      const { clientX: x, clientY: y, button, shiftKey, altKey, ctrlKey } = event;
      const keys = { shift: shiftKey, alt: altKey, control: ctrlKey };
      const scaled = (x: number, y: number) => ({ x: x / readingSize(), y: y / readingSize() });
      return { at: scaled(x - left, y - top), page: scaled(x, y), button, ...keys };
    };
    on('pointerdown', (event) => {
      if (event.button !== 0 && !this.#gestures.dragsWithAllButtons) return;
      element.setPointerCapture(event.pointerId);
      this.#down(event.pointerId, pointingOf(event));
    });
    on('pointermove', (event) => this.#move(event, pointingOf(event)));
    on('pointerup', (event) => {
      this.#release(element, event.pointerId);
      this.#up(pointingOf(event));
    });
    on('pointercancel', (event) => {
      this.#release(element, event.pointerId);
      this.escape();
    });
    on('pointerleave', () => {
      if (this.#fingers.size === 0) this.#gestures.leave?.();
    });
    on('dblclick', (event) => this.#gestures.doubleClick?.(pointingOf(event)));
    on('contextmenu', (event) => {
      event.preventDefault();
      if (!this.#gestures.dragsWithAllButtons) this.#openMenu(pointingOf(event));
    });
    on('wheel', (event) => {
      if (this.#gestures.wheel === undefined) return;
      event.preventDefault();
      const pointing = pointingOf(event);
      this.#gestures.wheel(pointing, event);
      // Something else lies under the pointer now.
      if (this.#fingers.size === 0) this.#gestures.hover?.(pointing);
    });
    return () => listeners.abort();
  };

  /** Takes back what is being dragged; tells whether something was. */
  escape(): boolean {
    const drag = this.#press?.drag;
    this.#press = null;
    drag?.cancel?.();
    return drag != null;
  }

  #down(id: number, begin: Pointing): void {
    this.#fingers.set(id, begin.at);
    if (this.#fingers.size === 1) {
      this.#press = { begin, last: begin.at, drag: undefined };
      return;
    }
    this.escape();
    this.#gestures.leave?.();
  }

  #move({ pointerId, pointerType }: PointerEvent, pointing: Pointing): void {
    const before = this.#fingers.get(pointerId);
    if (before === undefined) {
      if (pointerType !== 'touch' && this.#fingers.size === 0) this.#gestures.hover?.(pointing);
      return;
    }
    if (this.#fingers.size === 2) this.#pinch(before, pointing.at);
    else if (this.#press !== null) this.#dragTo(this.#press, pointing.at);
    this.#fingers.set(pointerId, pointing.at);
  }

  #up(pointing: Pointing): void {
    const press = this.#press;
    this.#press = null;
    if (press === null) return;
    const place = { ...pointing, at: press.begin.at };
    if (press.drag !== undefined) press.drag?.end?.();
    else if (press.begin.button === RIGHT_BUTTON) this.#openMenu(place);
    else if (press.begin.button === 0) this.#gestures.click?.(place);
  }

  #dragTo(press: Press, at: Point): void {
    const { begin, last } = press;
    if (press.drag === undefined) {
      if (Math.hypot(at.x - begin.at.x, at.y - begin.at.y) < CLICK_PIXELS) return;
      this.#gestures.leave?.();
      press.drag = this.#gestures.drag?.(begin) ?? null;
    }
    press.last = at;
    press.drag?.move(at, { x: at.x - last.x, y: at.y - last.y });
  }

  #pinch(before: Point, after: Point): void {
    const other = [...this.#fingers.values()].find((finger) => finger !== before);
    if (other !== undefined) this.#gestures.pinch?.([before, other], [after, other]);
  }

  #openMenu(pointing: Pointing): void {
    this.#gestures.leave?.();
    this.#gestures.menu?.(pointing);
  }

  #release(element: HTMLElement, id: number): void {
    this.#fingers.delete(id);
    if (element.hasPointerCapture(id)) element.releasePointerCapture(id);
  }
}
