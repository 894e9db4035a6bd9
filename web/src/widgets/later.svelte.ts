// Parts of the page that are loaded when they are first shown.

import type { Component } from 'svelte';

// Components take properties of their own kinds: `Component<never>` is any of them.
type AnyComponent = Component<never>;

export class Later<Part extends AnyComponent> {
  #part = $state.raw<Part | null>(null);
  #hasFailed = $state(false);
  #coming: Promise<void> | null = null;
  readonly #fetch: () => Promise<{ readonly default: Part }>;

  constructor(fetch: () => Promise<{ readonly default: Part }>) {
    this.#fetch = fetch;
  }

  get part(): Part | null {
    return this.#part;
  }
  get hasFailed(): boolean {
    return this.#hasFailed;
  }
  /** Is it neither there nor given up? */
  get isComing(): boolean {
    return this.#part === null && !this.#hasFailed;
  }

  /** Loads the part unless it is there or on its way. After a failure it is tried again. */
  load(): Promise<void> {
    this.#coming ??= this.#try();
    return this.#coming;
  }

  async #try(): Promise<void> {
    this.#hasFailed = false;
    try {
      this.#part = (await this.#fetch()).default;
    } catch {
      this.#hasFailed = true;
      this.#coming = null;
    }
  }
}

/** Runs something when the browser has nothing else to do. */
const whenIdle: (job: () => void) => void =
  typeof requestIdleCallback === 'function'
    ? (job) => void requestIdleCallback(job)
    : (job) => void setTimeout(job, 200);

/** Loads parts before they are asked for, one at a time, so that none of them is in the way. */
export function loadAhead(parts: readonly Later<AnyComponent>[]): void {
  const [first, ...rest] = parts;
  if (first === undefined) return;
  whenIdle(() => void first.load().then(() => loadAhead(rest)));
}
