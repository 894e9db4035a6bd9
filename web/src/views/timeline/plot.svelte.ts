// The picture of the timeline: which of its marks stand out, and its frames.

import { untrack } from 'svelte';
import type { Bounds } from '../../api/scene';
import type { MarkPlace } from '../../paint/hit';
import { ScenePainter } from '../../paint/scene_painter';
import { toPage } from '../../paint/transform';
import { canvasDrawn } from '../../state/first_plot';
import { isEntity } from '../../state/picks';
import { backgroundOf, canvasColors } from '../stage/colors';
import { drawOverlay, type Outline } from '../stage/overlay';
import { Stage } from '../stage/stage.svelte';
import { plotGestures, pointAgain } from './plot_gestures';
import type { Timeline } from './timeline.svelte';

const CANVAS = 'timeline';
const FADED_LABELS = 0.65;
/** Texts fit at the scale for which they were measured, or a larger one; rounding is no harm. */
const LEAST_SCALE = 0.98;

export class Plot {
  readonly stage: Stage;
  readonly #timeline: Timeline;

  readonly #selected: readonly MarkPlace[] = $derived.by(() => {
    const { pane, scene } = this.#timeline;
    const { pick, at, span } = pane.selection;
    if (pick === null) return [];
    const places = this.#placesOf([pick]);
    if (isEntity(pick) || at === null || span === null) return places;
    // Of a row that is summed up, the column that was chosen.
    const x0 = at - (scene?.window.from ?? 0);
    return places
      .filter(({ kind }) => kind === 'strips')
      .map((place) => ({ ...place, box: { ...place.box, x0, x1: x0 + span } }));
  });
  /** Where notes on rows that are seen lie. */
  readonly #noted: readonly Bounds[] = $derived.by(() => {
    const { scene, navigation } = this.#timeline;
    if (scene === null) return [];
    return navigation.marks.flatMap(({ time, end, row }) => {
      const { y0 = 0, y1 = 0 } = scene.rows.find(({ path }) => path === row) ?? {};
      const begin = scene.window.from;
      return end === undefined || y1 === 0 ? [] : [{ x0: time - begin, x1: end - begin, y0, y1 }];
    });
  });
  readonly #outlines: readonly Outline[] = $derived.by(() => {
    const { inspection, mark } = this.#timeline.pointed;
    const related = this.#placesOf(inspection?.related ?? []);
    return [
      ...this.#noted.map(
        (box): Outline => ({ place: { kind: 'rects', box }, color: 'accent', line: 2 }),
      ),
      ...related.map((place): Outline => ({ place, color: 'accent', line: 2 })),
      ...(mark === null ? [] : [{ place: mark.hit, color: 'text', line: 1 } as const]),
      ...this.#selected.map((place): Outline => ({ place, color: 'accent', line: 2 })),
    ];
  });
  /** What is lit: what was asked for, else what belongs to the mark under the pointer, and that mark. */
  readonly #lit: readonly Bounds[] | null = $derived.by(() => {
    const { lit, pointed, transform } = this.#timeline;
    const { inspection, mark } = pointed;
    if (lit.boxes !== null) return lit.boxes;
    if (mark === null || !inspection?.related.some(isEntity)) return null;
    // Arrows have outlines of their own.
    const places = [...this.#placesOf(inspection.related), mark.hit];
    return places.filter(({ kind }) => kind === 'rects').map(({ box }) => toPage(transform, box));
  });
  readonly #labels: number = $derived.by(() => {
    const { askedScale, pixelsPerTick, desk } = this.#timeline;
    if (askedScale !== null && pixelsPerTick < askedScale * LEAST_SCALE) return 0;
    return desk.highlight === null ? 1 : FADED_LABELS;
  });

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    const { pane, desk } = timeline;
    this.stage = new Stage({
      name: CANVAS,
      pane,
      desk,
      gestures: plotGestures(timeline),
      makePainter: (stage) => new ScenePainter(stage.canvases, CANVAS, stage.request),
      draw: () => this.#draw(),
    });
  }

  /** To be called while the view is made: from then on a frame is drawn when something changes. */
  follow(): void {
    const { stage } = this;
    $effect(() => {
      stage.painter?.load(this.#timeline.scene);
      stage.request();
    });
    // The picture moves under a pointer that rests.
    $effect(() => {
      const { hits, transform } = this.#timeline;
      void [hits, transform];
      untrack(() => pointAgain(this.#timeline));
    });
    $effect(() => {
      const { pane, navigation, desk, scene, transform } = this.#timeline;
      void [scene, transform, stage.draft, stage.width, stage.height, stage.pointing];
      void [desk.theme, desk.highlight, pane.selection, navigation.marks];
      void [this.#outlines, this.#labels, this.#lit];
      stage.request();
    });
  }

  #placesOf(picks: readonly string[]): readonly MarkPlace[] {
    return this.#timeline.hits?.placesOf(new Set(picks)) ?? [];
  }

  #draw(): void {
    const { stage } = this;
    const { scene, transform, desk, session } = this.#timeline;
    const background = backgroundOf(canvasColors(desk.theme));
    stage.painter?.draw({ transform, background, emphasis: desk.highlight });
    if (stage.painter !== null && scene !== null) {
      session.pictureDrawn();
      canvasDrawn();
    }
    stage.write((context) =>
      drawOverlay(context, stage, {
        scene,
        transform,
        labels: this.#labels,
        isOverTime: true,
        lit: this.#lit,
        outlines: this.#outlines,
      }),
    );
  }
}
