// The picture that is drawn now. On the way from one scene to the next it is neither of them.

import type { Scene } from '../../api/scene';

/** The pictures on the way from one scene to the next, from 0 to 1; `null` for none. */
export type MotionOf = (before: Scene, after: Scene) => ((share: number) => Scene) | null;

const LENGTH_MS = 200;

export class Moving {
  #motion = $state.raw<{
    readonly at: (share: number) => Scene;
    readonly end: Scene;
    readonly begin: number;
  } | null>(null);
  #painted: Scene | null = null;
  readonly #load: (scene: Scene) => void;

  constructor(load: (scene: Scene) => void) {
    this.#load = load;
  }

  get isMoving(): boolean {
    return this.#motion !== null;
  }
  get painted(): Scene | null {
    return this.#painted;
  }

  /** Begins the way to a scene; who wants no motion is there at once. */
  to(next: Scene, motionOf: MotionOf | undefined): void {
    const isCalm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    const at = this.#painted === null || isCalm ? null : motionOf?.(this.#painted, next);
    this.#motion = at ? { at, end: next, begin: performance.now() } : null;
    this.#paint(at ? at(0) : next);
  }

  /** The next picture on the way; at its end the scene itself. */
  step(now: number): void {
    const motion = this.#motion;
    if (motion === null) return;
    const share = Math.max((now - motion.begin) / LENGTH_MS, 0);
    if (share >= 1) {
      this.#motion = null;
      this.#paint(motion.end);
    } else {
      // Quick at first, and slow at the end.
      this.#paint(motion.at(1 - (1 - share) ** 2));
    }
  }

  #paint(picture: Scene): void {
    this.#painted = picture;
    this.#load(picture);
  }
}
