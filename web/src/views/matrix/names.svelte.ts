// The names of rows that a picture knows only by number.

import { SvelteMap } from 'svelte/reactivity';
import type { App } from '../../state/app.svelte';
import { nodePick } from '../../state/picks';

export class RowNames {
  readonly #names = new SvelteMap<string, string>();
  readonly #asked = new Set<string>();
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  /** The path of a row; its number until the server has answered. */
  of(node: number): string {
    const { traceId, lens } = this.#app;
    const key = JSON.stringify([traceId, lens, node]);
    if (!this.#asked.has(key)) {
      this.#asked.add(key);
      void this.#ask(key, node);
    }
    return this.#names.get(key) ?? `row ${node}`;
  }

  async #ask(key: string, node: number): Promise<void> {
    const { client, traceId, lens } = this.#app;
    try {
      const { path, title } = await client.inspect(traceId, { pick: nodePick(node), lens });
      this.#names.set(key, path ?? title);
    } catch {
      // The number has to do.
    }
  }
}
