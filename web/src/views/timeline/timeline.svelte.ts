// What the parts of a timeline share: the picture that is there, where it is on the page, and what
// is under the pointer.

import { ApiError, messageOf } from '../../api/error';
import type { TimelineScene } from '../../api/scene';
import type { LinksAsked } from '../../api/types';
import { spanOf } from '../../lib/window';
import { HitTest } from '../../paint/hit';
import type { Transform } from '../../paint/transform';
import type { Desk } from '../../state/desk.svelte';
import type { Navigation } from '../../state/navigation.svelte';
import type { Pane } from '../../state/pane.svelte';
import { isPair } from '../../state/picks';
import type { TraceSession } from '../../state/trace_session.svelte';
import { ROW_HEIGHT, type RowHeight } from '../../state/types';
import { Pointed } from '../stage/pointed.svelte';
import type { Stage } from '../stage/stage.svelte';
import { Lit } from './lit.svelte';
import { Plot } from './plot.svelte';
import type { TimelineRequest, VisibleTimeline } from './question';
import { SceneSource } from './source';

/** No more links in the window than these are all shown, whatever is selected. */
const FEW_LINKS = 300;

/** The status of a question that makes no sense for the trace, such as one about no rows. */
const NO_SUCH_PICTURE = 422;

/** Pinned rows can be read, however low the others are. */
function pinnedHeight(rowHeight: RowHeight): number {
  return rowHeight === 'fit' ? ROW_HEIGHT.usual : Math.max(rowHeight, ROW_HEIGHT.usual);
}

export class Timeline {
  readonly pane: Pane;
  readonly navigation: Navigation;
  readonly session: TraceSession;
  readonly desk: Desk;
  scene = $state.raw<TimelineScene | null>(null);
  /** Pixels of a tick for which the picture was made. */
  askedScale = $state<number | null>(null);
  failure = $state<string | null>(null);
  isWaiting = $state(false);
  readonly pointed: Pointed;
  readonly source: SceneSource;
  readonly lit: Lit = new Lit(this);
  readonly plot: Plot;
  readonly stage: Stage;

  readonly hits: HitTest | null = $derived(this.scene && new HitTest(this.scene));
  readonly pixelsPerTick: number = $derived.by(() => this.stage.width / spanOf(this.pane.window));
  readonly mostScroll: number = $derived.by(() =>
    Math.max(0, (this.scene?.height ?? 0) - this.stage.height),
  );
  readonly isFit: boolean = $derived.by(
    () => !this.isPinned && this.navigation.rowHeight === 'fit',
  );
  readonly scrollY: number = $derived.by(() =>
    this.isFit || this.isPinned ? 0 : Math.min(this.navigation.scrollY, this.mostScroll),
  );
  readonly transform: Transform = $derived.by(() => ({
    scaleX: this.pixelsPerTick,
    shiftX: ((this.scene?.window.from ?? 0) - this.pane.window.from) * this.pixelsPerTick,
    scaleY: 1,
    shiftY: -this.scrollY,
  }));

  /** Of pinned rows alone, which do not scroll. */
  constructor(
    pane: Pane,
    desk: Desk,
    readonly isPinned = false,
  ) {
    this.pane = pane;
    this.navigation = pane.navigation;
    this.session = pane.session;
    this.desk = desk;
    this.pointed = new Pointed(pane, desk);
    this.plot = new Plot(this);
    this.stage = this.plot.stage;
    const { client } = pane.session;
    const first = isPinned ? null : pane.session.takeFirstScene();
    this.source = new SceneSource(
      async (asked, signal) =>
        asked === first ? first.scene : client.timeline(asked.trace, asked.question, signal),
      {
        scene: (scene, asked) => this.received(scene, asked),
        failed: (error) => this.failed(error),
        waiting: (isWaiting) => {
          this.isWaiting = isWaiting;
        },
      },
      first,
    );
  }

  scrollBy(pixels: number): void {
    if (this.isFit || this.isPinned) return;
    this.navigation.setScrollY(Math.min(Math.max(this.scrollY + pixels, 0), this.mostScroll));
  }

  /** What has to be drawn; `null` while nothing can be. */
  get visible(): VisibleTimeline | null {
    const { pane, navigation, session } = this;
    if (session.trace === null || this.stage.width < 1 || this.stage.height < 1) return null;
    return {
      trace: session.traceId,
      length: session.trace.length,
      window: pane.window,
      ...this.stage.size,
      rowHeight: this.isPinned ? pinnedHeight(navigation.rowHeight) : navigation.rowHeight,
      scrollY: this.isPinned ? 0 : navigation.scrollY,
      lens: pane.lens,
      depth: navigation.depth,
      open: [...navigation.open],
      closed: [...navigation.closed],
      only: this.isPinned ? navigation.pins : [],
      links: this.links,
      causes: navigation.causes,
      stateDepths: navigation.stateDepths,
      overlay: navigation.overlay,
      theme: this.desk.theme,
    };
  }

  private get links(): LinksAsked {
    const { links } = this.navigation;
    const { selection } = this.pane;
    if (links !== 'selection') return links;
    const of = selection.pick === null ? [] : [selection.pick];
    // The links of a pair are those from one row to the other, not all of both.
    const isOfPair = selection.pick !== null && isPair(selection.pick);
    return { of, nodes: isOfPair ? [] : selection.nodes, few: FEW_LINKS };
  }

  private failed(error: unknown): void {
    this.failure = messageOf(error);
    // There is no picture of this question: the one before would be taken for it.
    if (error instanceof ApiError && error.status === NO_SUCH_PICTURE) {
      this.scene = null;
      if (!this.isPinned)
        this.session.setStatus({ rows: 0, exact: true, notes: [], ms: 0, legend: [] });
    }
  }

  private received(scene: TimelineScene, { trace, question }: TimelineRequest): void {
    // Its picks mean nothing in the trace that was chosen meanwhile.
    if (!this.session.isOpen(trace)) return;
    this.failure = null;
    this.askedScale = question.width / spanOf(question.window);
    this.scene = scene;
    if (this.isPinned) return;
    const { nRows, exact, notes, ms, legend } = scene;
    this.session.setStatus({ rows: nRows, exact, notes, ms, legend });
    // Fewer rows than before may leave nothing at this height.
    const isFixed = this.navigation.rowHeight !== 'fit';
    if (isFixed && this.navigation.scrollY > this.mostScroll)
      this.navigation.setScrollY(this.mostScroll);
  }

  again(): void {
    this.source.again();
  }

  stop(): void {
    this.source.stop();
    this.pointed.leave();
  }
}
