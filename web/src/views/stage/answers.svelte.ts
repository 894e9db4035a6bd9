// Scenes as they are asked for and answered: one question at a time, and always the newest next.

import { ApiError, isAbort, messageOf } from '../../api/error';
import type { Scene } from '../../api/scene';
import type { SceneQuestion, ViewName } from '../../api/types';

export interface SceneRequest {
  readonly trace: string;
  readonly view: ViewName;
  readonly question: SceneQuestion & Readonly<Record<string, unknown>>;
}

/** A question about a window, whatever else it is about. */
interface WindowRequest {
  readonly trace: string;
  readonly question: { readonly window?: unknown };
}

export class SceneAnswers<A extends WindowRequest = SceneRequest, S = Scene> {
  scene = $state.raw<S | null>(null);
  /** The trace of the scene: its picks mean nothing in another one. */
  trace = $state('');
  failure = $state<string | null>(null);
  /** The failure is that what is seen has nothing to show. */
  isNothing = $state(false);
  isWaiting = $state(false);

  #current: { readonly asked: A; readonly abort: AbortController } | null = null;
  #next: A | null = null;
  #shown = '';
  #last: A | null = null;
  readonly #ask: (asked: A, signal: AbortSignal) => Promise<S>;

  constructor(ask: (asked: A, signal: AbortSignal) => Promise<S>) {
    this.#ask = ask;
  }

  show(asked: A): void {
    this.#last = asked;
    const now = this.#current;
    if (now === null) {
      if (JSON.stringify(asked) !== this.#shown) void this.#run(asked);
      return;
    }
    this.#next = asked;
    // While a window moves each answer is worth showing; what else was asked for is outdated.
    if (settingsOf(now.asked) !== settingsOf(asked)) now.abort.abort();
  }

  /** Asks the same again after a failure. */
  again(): void {
    this.#shown = '';
    if (this.#last !== null) this.show(this.#last);
  }

  /** The picture that is there stays. */
  cancel(): void {
    this.#next = null;
    this.#current?.abort.abort();
  }

  async #run(asked: A): Promise<void> {
    const abort = new AbortController();
    this.#current = { asked, abort };
    this.isWaiting = true;
    try {
      const scene = await this.#ask(asked, abort.signal);
      if (!abort.signal.aborted) {
        this.scene = scene;
        this.trace = asked.trace;
        this.failure = null;
      }
    } catch (error) {
      if (!isAbort(error) && !abort.signal.aborted) {
        this.failure = messageOf(error);
        this.isNothing = error instanceof ApiError && error.code === 'nothing';
      }
    }
    this.#shown = JSON.stringify(asked);
    this.#current = null;
    const next = this.#next;
    this.#next = null;
    this.isWaiting = false;
    if (next !== null) this.show(next);
  }
}

/** What two questions about different windows have in common. */
function settingsOf(asked: WindowRequest): string {
  const { window: _, ...settings } = asked.question;
  return JSON.stringify({ ...asked, question: settings });
}
