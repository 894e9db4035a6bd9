// The trace, for questions that take long: while it grows, they rest in between.

import { untrack } from 'svelte';
import type { TraceSession } from './trace_session.svelte';

/** A question rests at least so long, */
const REST_MS = 3000;
/** and this many times as long as its last answer took. */
const REST_SHARE = 9;

/** How long a question rests whose answer took so long. */
export function restOf(tookMs: number): number {
  return Math.max(REST_MS, REST_SHARE * tookMs);
}

/** To be made while a component is made. */
export class PacedTrace {
  #id = $state('');
  #isAsking = $state(false);
  #restsUntil = 0;

  constructor(of: () => TraceSession) {
    $effect(() => {
      const session = of();
      const { traceId, isFollowed } = session;
      const isResting = this.#isAsking;
      const known = untrack(() => this.#id);
      if (known === traceId) return;
      if (!isFollowed || !session.isOpen(known)) {
        this.#id = traceId;
        return;
      }
      if (isResting) return;
      const rest = Math.max(0, this.#restsUntil - performance.now());
      const timer = setTimeout(() => (this.#id = session.traceId), rest);
      return () => clearTimeout(timer);
    });
  }

  /** What requests call the trace. */
  get id(): string {
    return this.#id;
  }

  /** Asks, and rests afterwards. */
  async rest<T>(question: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    this.#isAsking = true;
    try {
      return await question();
    } finally {
      const now = performance.now();
      this.#restsUntil = now + restOf(now - begun);
      this.#isAsking = false;
    }
  }
}
