// How finely a scene in space is drawn: while it moves and drawing is slow, a coarse picture at once
// is better than a fine one late. At rest it is always fine.

import type { View } from './camera';
import type { TimeShift } from './hit';

/** A scene in which nothing has moved for this time rests. A replay takes less for a step. */
export const REST_MS = 180;
/** Frames that take longer than this are slow. */
export const SLOW_MS = 50;
/** This many in a row are no accident. */
export const SLOW_FRAMES = 4;

interface LastFrame {
  readonly view: View;
  readonly time: TimeShift;
}

export class Pace {
  private before: LastFrame | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private moves = false;
  private nSlow = 0;

  constructor(
    private isSlow: boolean,
    /** The picture can be drawn finely now. */
    private readonly onrest: () => void,
  ) {}

  get isMoving(): boolean {
    return this.moves;
  }

  /** Tells whether the next frame is a coarse one. */
  frame(view: View, time: TimeShift): boolean {
    const { before } = this;
    this.before = { view, time };
    if (before !== null && !isSame(before, view, time)) this.moved();
    return this.isSlow && this.moves;
  }

  /** How long a frame took while the scene moved. Once slow, it stays so: coarse frames are quick. */
  took(ms: number): void {
    this.nSlow = ms > SLOW_MS ? this.nSlow + 1 : 0;
    if (this.nSlow >= SLOW_FRAMES) this.isSlow = true;
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private moved(): void {
    this.moves = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.moves = false;
      this.nSlow = 0;
      this.onrest();
    }, REST_MS);
  }
}

function isSame(before: LastFrame, view: View, { scale, shift }: TimeShift): boolean {
  return before.view === view && before.time.scale === scale && before.time.shift === shift;
}
