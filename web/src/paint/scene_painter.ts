// Draws with the processor, which is ready at once. Scenes for which that is too slow are drawn by the
// graphics card, on a canvas of its own: a canvas cannot change hands.

import type { Scene } from '../api/scene';
import { FlatPainter } from './flat';
import type { Frame, Painter } from './painter';

export interface TwoCanvases {
  readonly flat: HTMLCanvasElement;
  /** Hidden while it is not used. */
  readonly card: HTMLCanvasElement;
}

/** The processor is too slow when this many frames in a row take longer. */
const SLOW_FRAMES = 3;
const SLOW_MS = 20;

export class ScenePainter implements Painter {
  #painter: Painter;
  #scene: Scene | null = null;
  #size: [number, number, number] = [0, 0, 1];
  #nSlow = 0;
  /** Is it decided who draws? */
  #isChosen = false;
  #isGone = false;
  readonly #canvases: TwoCanvases;
  readonly #name: string;
  readonly #onChanged: () => void;

  /** `onChanged` asks for a new frame. */
  constructor(canvases: TwoCanvases, name: string, onChanged: () => void) {
    this.#canvases = canvases;
    this.#name = name;
    this.#onChanged = onChanged;
    this.#painter = new FlatPainter(canvases.flat, name);
    this.#show('flat');
  }

  resize(width: number, height: number, pixelRatio: number): void {
    this.#size = [width, height, pixelRatio];
    this.#painter.resize(width, height, pixelRatio);
  }

  load(scene: Scene | null): void {
    this.#scene = scene;
    this.#painter.load(scene);
  }

  draw(frame: Frame): void {
    const begin = performance.now();
    this.#painter.draw(frame);
    if (this.#isChosen) return;
    this.#nSlow = performance.now() - begin > SLOW_MS ? this.#nSlow + 1 : 0;
    if (this.#nSlow < SLOW_FRAMES) return;
    this.#isChosen = true;
    void this.#useCard(frame).catch(() => undefined);
  }

  dispose(): void {
    this.#isGone = true;
    this.#painter.dispose();
  }

  async #useCard(frame: Frame): Promise<void> {
    const { alone, cardPainter } = await import('./slow');
    if (this.#isGone) return;
    try {
      const card = cardPainter(this.#canvases.card, this.#name, this.#onChanged);
      card.resize(...this.#size);
      card.load(this.#scene);
      card.draw(frame);
      this.#painter.dispose();
      this.#painter = card;
      this.#show('card');
    } catch {
      // A browser without a graphics card goes on as it can.
      this.#painter = alone(this.#painter, this.#onChanged);
      this.#painter.resize(...this.#size);
    }
    this.#onChanged();
  }

  #show(shown: keyof TwoCanvases): void {
    this.#canvases.flat.hidden = shown !== 'flat';
    this.#canvases.card.hidden = shown !== 'card';
  }
}
