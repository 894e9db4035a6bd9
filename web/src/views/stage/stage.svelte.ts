// What a picture stands on: canvases in an element of the page, its size, what points at it, and
// frames, which are drawn when something has changed and never in a loop.

import { untrack } from 'svelte';
import { messageOf } from '../../api/error';
import type { Size } from '../../lib/geometry';
import { readingSize } from '../../lib/reading';
import { spanOf, type Window } from '../../lib/window';
import { FAMILY } from '../../paint/labels';
import type { ScenePainter, TwoCanvases } from '../../paint/scene_painter';
import { recordFrame } from '../../paint/statistics';
import { groupSelection, hideSelection } from '../../state/actions';
import type { Desk } from '../../state/desk.svelte';
import type { Pane } from '../../state/pane.svelte';
import type { TimeAxis } from '../../state/viewpoint';
import type { KeyMeaning } from './gestures';
import type { OverTime } from './over_time';
import { type Gestures, PointerMachine, type Pointing } from './pointer';

export interface StagePainter {
  resize(width: number, height: number, pixelRatio: number): void;
  dispose(): void;
}

/** The answer that a picture is made of. */
export interface StageAnswer {
  readonly isWaiting: boolean;
  readonly failure: string | null;
  /** It is no fault: there is nothing to be seen. */
  readonly isNothing?: boolean;
  /** Asks once more after a failure. */
  again(): void;
  /** Waits no longer; the picture that is there stays. */
  cancel?(): void;
}

export interface StageParts<P extends StagePainter> {
  /** Under which frames are counted. */
  readonly name: string;
  readonly pane: Pane;
  readonly desk: Desk;
  /** What goes from left to right, if not the time of the pane. */
  readonly axis?: TimeAxis;
  readonly gestures: Gestures;
  /** Fewer pixels than the screen has, for what draws slowly. */
  readonly mostPixelRatio?: number;
  /** Called when there are canvases. */
  makePainter(stage: Stage<P>): P | Promise<P>;
  /** Draws a frame. It may read state without being told when that changes. */
  draw(begin: number): void;
}

export class Stage<P extends StagePainter = ScenePainter> implements OverTime {
  readonly pane: Pane;
  readonly desk: Desk;
  readonly axis: TimeAxis;
  readonly pointer: PointerMachine;
  width = $state(0);
  height = $state(0);
  pixelRatio = $state(window.devicePixelRatio);
  painter = $state.raw<P | null>(null);
  /** Why nothing can be drawn at all. */
  unable = $state<string | null>(null);
  pointing = $state.raw<Pointing | null>(null);
  draft = $state.raw<Window | null>(null);
  /** The canvas of the picture; there once the component is. */
  declare picture: HTMLCanvasElement;
  /** Where the graphics card draws instead, if it has to. */
  declare card: HTMLCanvasElement;
  /** The one above, of texts and marks. */
  declare texts: HTMLCanvasElement;

  #frame = 0;
  readonly #parts: StageParts<P>;

  constructor(parts: StageParts<P>) {
    this.#parts = parts;
    this.pane = parts.pane;
    this.desk = parts.desk;
    this.axis = parts.axis ?? parts.pane;
    const { gestures } = parts;
    this.pointer = new PointerMachine({
      ...gestures,
      hover: (pointing) => {
        this.pointing = pointing;
        gestures.hover?.(pointing);
      },
      leave: () => {
        this.pointing = null;
        gestures.leave?.();
      },
    });
  }

  get canvases(): TwoCanvases {
    return { flat: this.picture, card: this.card };
  }
  get size(): Size {
    return { width: this.width, height: this.height };
  }
  /** Where keys zoom to, as a share of the width. */
  get focus(): number {
    return this.pointing === null ? 0.5 : this.pointing.at.x / this.width;
  }

  timeAt(x: number): number {
    return this.axis.window.from + (x / this.width) * spanOf(this.axis.window);
  }
  xOf(time: number): number {
    return ((time - this.axis.window.from) / spanOf(this.axis.window)) * this.width;
  }

  readonly request = (): void => {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  };

  /** Draws in an element and follows its size, until the answer is called. */
  mount(element: HTMLElement): () => void {
    const measure = () => this.#measure(element);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    void document.fonts.load(`10px ${FAMILY}`).then(this.request);
    let isGone = false;
    const keep = (painter: P) => {
      if (isGone) painter.dispose();
      else this.painter = painter;
    };
    const fail = (error: unknown) => {
      this.unable = messageOf(error);
    };
    try {
      const made = this.#parts.makePainter(this);
      if (made instanceof Promise) made.then(keep, fail);
      else keep(made);
    } catch (error) {
      fail(error);
    }
    return () => {
      isGone = true;
      observer.disconnect();
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
      this.painter?.dispose();
      this.painter = null;
    };
  }

  /** Gives the canvases as many pixels as the screen has. */
  resize(): void {
    const { width, height, pixelRatio } = this;
    const most = this.#parts.mostPixelRatio ?? pixelRatio;
    this.painter?.resize(width, height, Math.min(pixelRatio, most));
    this.texts.width = Math.round(width * pixelRatio);
    this.texts.height = Math.round(height * pixelRatio);
    this.request();
  }

  /** Draws on the canvas of texts in pixels of the page. */
  write(draw: (context: CanvasRenderingContext2D) => void): void {
    const context = this.texts.getContext('2d');
    if (context === null) return;
    context.setTransform(this.pixelRatio, 0, 0, this.pixelRatio, 0, 0);
    draw(context);
  }

  /** Does what a key means in every picture; tells whether it meant something. */
  press(meaning: KeyMeaning): boolean {
    const { pane, axis } = this;
    switch (meaning.kind) {
      case 'window':
        axis.setWindow(meaning.change(axis.window, this.focus), 'gesture');
        return true;
      case 'fit':
        axis.fit();
        return true;
      case 'group':
        void groupSelection(pane);
        return true;
      case 'hide':
        void hideSelection(pane);
        return true;
      case 'clear':
        if (!this.pointer.escape()) pane.selectNothing();
        return true;
      default:
        return false;
    }
  }

  #measure(element: HTMLElement): void {
    const { width, height } = element.getBoundingClientRect();
    const reading = readingSize();
    this.pixelRatio = window.devicePixelRatio * reading;
    this.width = Math.floor(width / reading);
    this.height = Math.floor(height / reading);
  }

  #draw(): void {
    this.#frame = 0;
    const begin = performance.now();
    untrack(() => this.#parts.draw(begin));
    recordFrame(this.#parts.name, performance.now() - begin);
  }
}
