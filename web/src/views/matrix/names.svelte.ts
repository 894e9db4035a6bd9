// The names of rows that a picture knows only by number.

import { SvelteMap } from 'svelte/reactivity';
import { nodePick } from '../../state/picks';
import type { Viewpoint } from '../../state/viewpoint';

export class RowNames {
  readonly #names = new SvelteMap<string, string>();
  readonly #asked = new Set<string>();
  readonly #view: Viewpoint;

  constructor(view: Viewpoint) {
    this.#view = view;
  }

  /** The path of a row; its number until the server has answered. */
  of(node: number): string {
    const { session, lens } = this.#view;
    const key = JSON.stringify([session.traceId, lens, node]);
    if (!this.#asked.has(key)) {
      this.#asked.add(key);
      void this.#ask(key, node);
    }
    return this.#names.get(key) ?? `row ${node}`;
  }

  async #ask(key: string, node: number): Promise<void> {
    const { session, lens } = this.#view;
    try {
      const { path, title } = await session.client.inspect(session.traceId, {
        pick: nodePick(node),
        lens,
      });
      this.#names.set(key, path ?? title);
    } catch {
      // The number has to do.
    }
  }
}
