// Fetches pictures: one question at a time, none for what is there already, none that nobody waits
// for. The last picture stays until a better one has come.

import { ApiError, isAbort } from '../../api/error';
import type { TimelineScene } from '../../api/scene';
import { isNear, requestFor, serves, type TimelineRequest, type VisibleTimeline } from './question';

export interface SourceEvents {
  scene(scene: TimelineScene, asked: TimelineRequest): void;
  failed(error: unknown): void;
  /** Is an answer on its way? */
  waiting(isWaiting: boolean): void;
}

type Ask = (asked: TimelineRequest, signal: AbortSignal) => Promise<TimelineScene>;

const RETRY_MS = 400;

export class SceneSource {
  private visible: VisibleTimeline | null = null;
  private held: TimelineRequest | null = null;
  private coming: { readonly asked: TimelineRequest; readonly abort: AbortController } | null =
    null;
  private retry: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly ask: Ask,
    private readonly events: SourceEvents,
    /** A question that is answered already: it is asked if its answer will do. */
    private answered: TimelineRequest | null = null,
  ) {}

  /** Tells what is seen now. Fetches what that needs. */
  show(visible: VisibleTimeline): void {
    this.visible = visible;
    clearTimeout(this.retry);
    this.consider();
  }

  again(): void {
    this.held = null;
    this.consider();
  }

  stop(): void {
    this.visible = null;
    clearTimeout(this.retry);
    this.coming?.abort.abort();
    this.coming = null;
  }

  private consider(): void {
    const { visible, coming } = this;
    if (visible === null) return;
    if (this.held !== null && serves(this.held, visible)) {
      this.giveUp();
      return;
    }
    // A picture that is nearly right comes sooner than one that is not yet asked for. Without it
    // a long gesture would show nothing new until its end.
    if (coming !== null && isNear(coming.asked, visible)) return;
    this.giveUp();
    const { answered } = this;
    this.answered = null;
    const isAnswered = answered !== null && serves(answered, visible);
    void this.fetch(isAnswered ? answered : requestFor(visible));
  }

  private giveUp(): void {
    if (this.coming === null) return;
    this.coming.abort.abort();
    this.coming = null;
    this.events.waiting(false);
  }

  private async fetch(asked: TimelineRequest): Promise<void> {
    const coming = { asked, abort: new AbortController() };
    this.coming = coming;
    this.events.waiting(true);
    try {
      const scene = await this.ask(asked, coming.abort.signal);
      if (this.coming !== coming) return;
      this.held = asked;
      this.finished();
      this.events.scene(scene, asked);
      this.consider();
    } catch (error) {
      if (this.coming !== coming || isAbort(error)) return;
      this.finished();
      this.fail(error);
    }
  }

  private finished(): void {
    this.coming = null;
    this.events.waiting(false);
  }

  private fail(error: unknown): void {
    if (error instanceof ApiError && error.code === 'busy') {
      this.retry = setTimeout(() => this.consider(), RETRY_MS);
    } else {
      // Whoever is told may drop the last picture: it has to be asked for again.
      this.held = null;
      this.events.failed(error);
    }
  }
}
