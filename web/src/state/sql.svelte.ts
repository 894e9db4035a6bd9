// The question in SQL and its answer. They outlast the panel in which they are shown.

import { isAbort, messageOf } from '../api/error';
import type { SqlAnswer } from '../api/types';
import { isText, recall, remember } from './remembered';
import type { TraceSession } from './trace_session.svelte';

const FIRST =
  'SELECT value, count(*) AS n, sum(duration) AS total\nFROM states\nGROUP BY value\nORDER BY total DESC';

export class SqlQuestion {
  text = $state(recall('sql', isText) ?? FIRST);
  isRunning = $state(false);
  #answer = $state.raw<SqlAnswer | null>(null);
  #failure = $state<string | null>(null);
  /** The trace that was asked. */
  #trace = $state('');
  #abort = new AbortController();

  answerFor(trace: string): SqlAnswer | null {
    return trace === this.#trace ? this.#answer : null;
  }
  failureFor(trace: string): string | null {
    return trace === this.#trace ? this.#failure : null;
  }

  async run({ client, traceId }: TraceSession): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.isRunning = true;
    remember('sql', this.text);
    try {
      const answer = await client.sql(traceId, this.text, signal);
      if (signal.aborted) return;
      this.#answer = answer;
      this.#failure = null;
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      this.#failure = messageOf(error);
    }
    this.#trace = traceId;
    this.isRunning = false;
  }

  cancel(): void {
    this.#abort.abort();
    this.isRunning = false;
  }
}
