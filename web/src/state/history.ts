// Undo and redo are the browser's back and forward. A jump is a step at once; what changes many
// times in a row, as the window during a drag, becomes one step when it rests. A quiet change, as
// of the selection, is part of the view but no step of its own.

/** How long changes have to rest before they are written. */
export const REST_MS = 400;

export type How = 'gesture' | 'jump' | 'quiet';

/** Where steps go: `push` adds one, `replace` changes the one that we are at. */
export interface StepWriter {
  push(): void;
  replace(): void;
}

export class Steps {
  #waiting: 'push' | 'replace' | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #writer: StepWriter;

  constructor(writer: StepWriter) {
    this.#writer = writer;
  }

  /** Makes a change that is written as it says. */
  change(how: How, make: () => void): void {
    // What rests is a step of its own, so it has to be written before the jump changes the view.
    if (how === 'jump') this.settle();
    make();
    if (how === 'jump') this.#writer.push();
    else this.#wait(how);
  }

  /** Writes what rests. */
  settle(): void {
    const waiting = this.#waiting;
    this.forget();
    if (waiting !== null) this.#writer[waiting]();
  }

  /** The view was replaced as a whole: what rested is gone. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#waiting = null;
  }

  #wait(how: 'gesture' | 'quiet'): void {
    if (how === 'gesture') this.#waiting = 'push';
    else this.#waiting ??= 'replace';
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.settle(), REST_MS);
  }
}
