// What a picture is drawn on: canvases in an element of the page, its size, and frames, which are
// drawn when something has changed and never in a loop.

import { untrack } from 'svelte';
import { FAMILY } from '../../paint/labels';
import { recordFrame } from '../../paint/statistics';

export class Surface {
  width = $state(0);
  height = $state(0);
  pixelRatio = $state(window.devicePixelRatio);
  /** The canvas of the picture; there once the component is. */
  declare picture: HTMLCanvasElement;
  /** Where the graphics card draws instead, if it has to. */
  declare card: HTMLCanvasElement;
  /** The one above, of texts and marks. */
  declare texts: HTMLCanvasElement;

  #frame = 0;
  readonly #name: string;
  readonly #paint: (begin: number) => void;

  /** `paint` draws a frame; it may read state without being told when that changes. */
  constructor(name: string, paint: (begin: number) => void) {
    this.#name = name;
    this.#paint = paint;
  }

  /** For a painter of scenes. */
  get canvases(): { flat: HTMLCanvasElement; card: HTMLCanvasElement } {
    return { flat: this.picture, card: this.card };
  }

  /** Asks for a frame. */
  readonly request = (): void => {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  };

  /** Follows the size of an element until the answer is called. */
  hold(element: HTMLElement): () => void {
    const measure = () => this.#measure(element);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    void document.fonts.load(`10px ${FAMILY}`).then(this.request);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
    };
  }

  /** Gives the canvas of texts as many pixels as the screen has. */
  fitTexts(): void {
    this.texts.width = Math.round(this.width * this.pixelRatio);
    this.texts.height = Math.round(this.height * this.pixelRatio);
  }

  /** Draws on the canvas of texts in pixels of the page. */
  write(draw: (context: CanvasRenderingContext2D) => void): void {
    const context = this.texts.getContext('2d');
    if (context === null) return;
    context.setTransform(this.pixelRatio, 0, 0, this.pixelRatio, 0, 0);
    draw(context);
  }

  #measure(element: HTMLElement): void {
    const { width, height } = element.getBoundingClientRect();
    this.pixelRatio = window.devicePixelRatio;
    this.width = Math.floor(width);
    this.height = Math.floor(height);
  }

  #draw(): void {
    this.#frame = 0;
    const begin = performance.now();
    untrack(() => this.#paint(begin));
    recordFrame(this.#name, performance.now() - begin);
  }
}
