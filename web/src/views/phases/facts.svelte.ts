// What flows are made of: asked when the pointer rests on one, and remembered.

import { SvelteMap } from 'svelte/reactivity';
import type { FlowAnswer, FlowQuestion } from '../../api/types';
import type { TraceSession } from '../../state/trace_session.svelte';

/** A pointer that moves on sooner asks nothing. */
const REST_MS = 120;
const MOST_REMEMBERED = 500;

export class FlowFacts {
  readonly #facts = new SvelteMap<string, FlowAnswer>();
  readonly #session: TraceSession;
  #awaited = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: TraceSession) {
    this.#session = session;
  }

  /** What is known of a flow; `null` until the server has answered. */
  of(question: FlowQuestion): FlowAnswer | null {
    const key = JSON.stringify([this.#session.traceId, question]);
    const known = this.#facts.get(key);
    if (known !== undefined) return known;
    if (this.#awaited !== key) {
      this.#awaited = key;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#ask(key, question), REST_MS);
    }
    return null;
  }

  async #ask(key: string, question: FlowQuestion): Promise<void> {
    try {
      const answer = await this.#session.client.flow(this.#session.traceId, question);
      if (this.#facts.size >= MOST_REMEMBERED) this.#facts.clear();
      this.#facts.set(key, answer);
    } catch {
      // The title of the mark has to do.
    }
  }
}
