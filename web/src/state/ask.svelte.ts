// A question that follows what it depends on: it is asked again when that changes, the one before
// is taken back, and the last answer stays until there is a new one.

import { isAbort, messageOf } from '../api/error';

export type Question<T> = (signal: AbortSignal) => Promise<T>;

/** Changes that follow each other faster are one question. */
const WAIT_MS = 100;

export class Answering<T> {
  #answer = $state.raw<T | null>(null);
  #failure = $state<string | null>(null);
  #waiting = $state(false);

  get answer(): T | null {
    return this.#answer;
  }
  get failure(): string | null {
    return this.#failure;
  }
  get waiting(): boolean {
    return this.#waiting;
  }

  async run(question: Question<T>, signal: AbortSignal): Promise<void> {
    this.#waiting = true;
    try {
      const answer = await question(signal);
      if (signal.aborted) return;
      this.#answer = answer;
      this.#failure = null;
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      this.#failure = messageOf(error);
    }
    this.#waiting = false;
  }

  clear(): void {
    this.#answer = null;
    this.#failure = null;
    this.#waiting = false;
  }
}

/** To be called while a component is made. `question` reads what it depends on; `null` asks nothing. */
export function ask<T>(question: () => Question<T> | null): Answering<T> {
  const asked = new Answering<T>();
  $effect(() => {
    const current = question();
    if (current === null) {
      asked.clear();
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => void asked.run(current, abort.signal), WAIT_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  });
  return asked;
}
