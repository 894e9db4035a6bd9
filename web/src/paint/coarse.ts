// Without a graphics card a picture that moves has fewer pixels, so that it follows the hand; at rest it
// has all of them.

import type { Scene } from '../api/scene';
import type { Frame, Painter } from './painter';
import type { Transform } from './transform';

/** A picture in which nothing has moved for this time rests. */
export const REST_MS = 180;
/** Half the pixels: as many less across as down. */
const COARSE = Math.SQRT1_2;

export class CoarseWhileMoving implements Painter {
  #size: readonly [number, number, number] | null = null;
  #before: Transform | null = null;
  #isCoarse = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #painter: Painter;
  readonly #onRest: () => void;

  /** `onRest` asks for a new frame. */
  constructor(painter: Painter, onRest: () => void) {
    this.#painter = painter;
    this.#onRest = onRest;
  }

  resize(width: number, height: number, pixelRatio: number): void {
    this.#size = [width, height, pixelRatio];
    this.#fit();
  }
  load(scene: Scene | null): void {
    this.#painter.load(scene);
  }
  draw(frame: Frame): void {
    if (this.#before !== null && !isSame(this.#before, frame.transform)) this.#moved();
    this.#before = frame.transform;
    this.#painter.draw(frame);
  }
  dispose(): void {
    clearTimeout(this.#timer);
    this.#painter.dispose();
  }

  #moved(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isCoarse = false;
      this.#fit();
      this.#onRest();
    }, REST_MS);
    if (this.#isCoarse) return;
    this.#isCoarse = true;
    this.#fit();
  }

  #fit(): void {
    if (this.#size === null) return;
    const [width, height, pixelRatio] = this.#size;
    this.#painter.resize(width, height, this.#isCoarse ? pixelRatio * COARSE : pixelRatio);
  }
}

function isSame(a: Transform, b: Transform): boolean {
  return (
    a.scaleX === b.scaleX && a.shiftX === b.shiftX && a.scaleY === b.scaleY && a.shiftY === b.shiftY
  );
}
