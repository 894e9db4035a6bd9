// States told apart from all others in the picture: those of one value whose duration lies in a range, or
// those that a line of source made.

import type { Bounds, TimelineScene } from '../../api/scene';
import type { FindAnswer, Found } from '../../api/types';
import { countOf, grouped } from '../../lib/number';
import type { TimeBase } from '../../lib/time';
import { toPage } from '../../paint/transform';
import { Answering, ask } from '../../state/ask.svelte';
import { timesOf } from '../../state/found';
import { literalPattern } from '../../state/lens';
import type { SourceLine } from '../../state/types';
import type { Timeline } from './timeline.svelte';

/** More are not looked for: they stay in the dark, and the page says so. */
const MOST = 1000;

/** Marks that are narrower on the page are summed up in strips. */
const LEAST_PX = 3;

export class Lit {
  #byDuration = $state.raw(new Answering<FindAnswer>());
  #byLine = $state.raw(new Answering<FindAnswer>());
  readonly #timeline: Timeline;

  /** Where they are in the picture; `null` if nothing is told apart. */
  readonly #places: readonly Bounds[] | null = $derived.by(() => {
    const answer = this.#answer;
    const { hits, scene } = this.#timeline;
    const { base } = this.#timeline.session;
    if (answer === null || base === null || hits === null || scene === null) return null;
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
    this.#byLine = ask(() => {
      const { pane, session } = this.#timeline;
      const line = this.#line;
      if (line === null || session.trace === null) return null;
      const { traceId, client } = session;
      const { window, lens } = pane;
      const question = { ...line, window, lens, limit: MOST };
      return (signal) => client.line(traceId, question, signal);
    });
    this.#byDuration = ask(() => {
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
    const answer = this.#answer;
    if (answer === null) return null;
    const first = answer.next === null ? '' : 'the first ';
    const line = this.#line;
    if (this.#isByDuration || line === null) {
      return `${first}${countOf(answer.found.length, 'state')} lit by duration`;
    }
    const things = answer.found.length === 1 ? 'entity' : 'entities';
    return `${first}${grouped(answer.found.length)} ${things} of ${line.file}:${line.line} lit`;
  }

  /** Lights everything again. */
  end(): void {
    const { pane, navigation } = this.#timeline;
    if (this.#isByDuration) pane.select({ lasting: null });
    else navigation.setPanels({ bottom: false });
  }

  get #isByDuration(): boolean {
    return this.#timeline.pane.selection.lasting !== null;
  }

  /** The line that the panel of source shows. */
  get #line(): SourceLine | null {
    const { desk, navigation } = this.#timeline;
    return navigation.panels.bottom && navigation.panels.tab === 'source' ? desk.source : null;
  }

  /** What was found, if anything is told apart. */
  get #answer(): FindAnswer | null {
    if (this.#isByDuration) return this.#byDuration.answer;
    const found = this.#line === null ? null : this.#byLine.answer;
    return found !== null && found.found.length > 0 ? found : null;
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
