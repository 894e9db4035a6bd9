// States of one value whose duration lies in a range, told apart from all others in the picture.

import type { Bounds, TimelineScene } from '../../api/scene';
import type { FindAnswer, Found } from '../../api/types';
import { countOf } from '../../lib/number';
import type { TimeBase } from '../../lib/time';
import { toPage } from '../../paint/transform';
import { Answering, ask } from '../../state/ask.svelte';
import { timesOf } from '../../state/found';
import { literalPattern } from '../../state/lens';
import type { Timeline } from './timeline.svelte';

/** More are not looked for: they stay in the dark, and the page says so. */
const MOST = 1000;

/** Marks that are narrower on the page are summed up in strips. */
const LEAST_PX = 3;

export class Lit {
  #asked = $state.raw(new Answering<FindAnswer>());
  readonly #timeline: Timeline;

  /** Where they are in the picture; `null` if nothing is told apart. */
  readonly #places: readonly Bounds[] | null = $derived.by(() => {
    const { answer } = this.#asked;
    const { hits, scene, pane } = this.#timeline;
    const { base } = this.#timeline.session;
    if (pane.selection.lasting === null || answer === null || base === null) return null;
    if (hits === null || scene === null) return null;
    const drawn = hits.placesOf(new Set(answer.found.map(({ pick }) => pick)));
    const summedUp = answer.found.map((found) => this.#stretchOf(scene, base, found));
    return [...drawn.map(({ box }) => box), ...summedUp.filter((box) => box !== null)];
  });
  /** The same on the page. */
  readonly boxes: readonly Bounds[] | null = $derived.by(() => {
    const { transform } = this.#timeline;
    return this.#places?.map((box) => toPage(transform, box)) ?? null;
  });

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** To be called while the view is made: from then on it follows what is selected. */
  follow(): void {
    this.#asked = ask(() => {
      const { pane, session } = this.#timeline;
      const { lasting, value } = pane.selection;
      const named = session.trace?.values.find(({ id }) => id === value);
      if (lasting === null || named === undefined) return null;
      const { traceId, client } = session;
      const { window, lens } = pane;
      const question = {
        pattern: literalPattern(named.name),
        kinds: ['state'] as const,
        fields: ['values'] as const,
        // The range holds its begin.
        ...(lasting.from > 0 && { longer_than: lasting.from - 1 }),
        shorter_than: lasting.to,
        limit: MOST,
        window,
        lens,
      };
      return (signal) => client.find(traceId, question, signal);
    });
  }

  /** What is said of them, if anything is told apart. */
  get words(): string | null {
    const { answer } = this.#asked;
    if (this.#timeline.pane.selection.lasting === null || answer === null) return null;
    const count = countOf(answer.found.length, 'state');
    return answer.next === null ? count : `the first ${count}`;
  }

  /** What is summed up has no mark of its own: its row is lit for as long as it lasts. */
  #stretchOf(scene: TimelineScene, base: TimeBase, found: Found): Bounds | null {
    const row = scene.rows.find(({ nodes }) => found.node !== null && nodes.includes(found.node));
    if (row === undefined) return null;
    const { start, end } = timesOf(base, found);
    const isNarrow = (end - start) * this.#timeline.pixelsPerTick < LEAST_PX;
    if (!isNarrow && row.nodes.length === 1 && row.state !== 'closed') return null;
    const { from } = scene.window;
    return { x0: start - from, y0: row.y0, x1: end - from, y1: row.y1 };
  }
}
