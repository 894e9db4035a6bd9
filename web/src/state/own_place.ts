// A history that the page keeps for itself, because that of the window belongs to another page.

import type { Kept, Place } from './place';

interface Step {
  readonly kept: Kept;
  readonly fragment: string;
}

/** Enough to go back; each keeps a whole view. */
const MOST_STEPS = 200;

export class OwnPlace implements Place {
  readonly isAddressed: boolean = false;
  #steps: readonly Step[];
  #at = 0;
  #listener: (kept: Kept) => void = () => {};
  readonly #onWritten: (fragment: string) => void;

  /** `onWritten` is told every fragment: whoever shows the page again can begin with it. */
  constructor(fragment: string, onWritten: (fragment: string) => void = () => {}) {
    this.#steps = [{ kept: null, fragment }];
    this.#onWritten = onWritten;
  }

  get address(): string {
    return '';
  }
  get #step(): Step {
    return this.#steps[this.#at] ?? { kept: null, fragment: '' };
  }
  get fragment(): string {
    return this.#step.fragment;
  }
  get kept(): Kept {
    return this.#step.kept;
  }

  write(how: 'pushState' | 'replaceState', kept: Kept, fragment: string): void {
    const before = this.#steps.slice(0, how === 'pushState' ? this.#at + 1 : this.#at);
    // A step that is changed keeps those after it, as in a window.
    const after = how === 'pushState' ? [] : this.#steps.slice(this.#at + 1);
    const steps = [...before, { kept, fragment }, ...after];
    this.#at = before.length;
    const surplus = Math.max(0, steps.length - MOST_STEPS);
    this.#steps = steps.slice(surplus);
    this.#at -= surplus;
    this.#onWritten(fragment);
  }

  back(): void {
    this.#go(-1);
  }
  forward(): void {
    this.#go(1);
  }
  onStep(listener: (kept: Kept) => void): void {
    this.#listener = listener;
  }

  #go(by: -1 | 1): void {
    const there = this.#steps[this.#at + by];
    if (there === undefined) return;
    this.#at += by;
    this.#listener(there.kept);
    this.#onWritten(there.fragment);
  }
}
