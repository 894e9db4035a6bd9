// What is under the pointer, and what the server knows of it.

import type { Inspection } from '../../api/types';
import type { Hit } from '../../paint/hit';
import type { Desk } from '../../state/desk.svelte';
import { isEntity, isInspectable } from '../../state/picks';
import type { Viewpoint } from '../../state/viewpoint';

/** What this needs to know of a mark, whatever the picture is. */
export interface PointedHit extends Pick<Hit, 'pick' | 'title' | 'color'> {
  readonly kind: string;
}

export interface PointedMark<H extends PointedHit = Hit> {
  readonly hit: H;
  /** Ticks after the begin of the trace. */
  readonly at: number;
  /** Ticks that a column of pixels stands for. */
  readonly span: number;
  /** All nodes of its row, if it is what several of them share. */
  readonly nodes?: readonly number[];
}

/** How long the pointer rests before the server is asked. */
const REST_MS = 60;
/** How long it rests before all else fades. */
const FADE_MS = 350;
const MOST_REMEMBERED = 400;
/** Marks of states, flat and in space. */
const STATES: readonly string[] = ['rects', 'boxes'];

export class Pointed<H extends PointedHit = Hit> {
  private readonly view: Viewpoint;
  private readonly desk: Desk;
  mark = $state.raw<PointedMark<H> | null>(null);
  inspection = $state.raw<Inspection | null>(null);

  private readonly known = new Map<string, Inspection>();
  private asking: AbortController | null = null;
  private rest: ReturnType<typeof setTimeout> | undefined;
  private fade: ReturnType<typeof setTimeout> | undefined;
  private fades = false;

  constructor(view: Viewpoint, desk: Desk) {
    this.view = view;
    this.desk = desk;
  }

  moveTo(mark: PointedMark<H> | null): void {
    if (mark === null || this.mark === null || !sameMark(mark, this.mark)) this.point(mark);
    // The same thing may have another place in another picture.
    else this.mark = mark;
  }

  leave(): void {
    this.point(null);
  }

  private point(mark: PointedMark<H> | null): void {
    this.asking?.abort();
    clearTimeout(this.rest);
    clearTimeout(this.fade);
    this.unfade();
    this.mark = mark;
    const isKnown = mark !== null && isInspectable(mark.hit.pick);
    const known = mark && this.known.get(this.keyOf(mark));
    this.inspection = known ?? null;
    if (mark === null) return;
    if (isKnown && !known) this.rest = setTimeout(() => void this.ask(mark), REST_MS);
    const { kind, color } = mark.hit;
    // A state lights all of its value.
    if (STATES.includes(kind) && color !== null && isEntity(mark.hit.pick)) {
      this.fade = setTimeout(() => {
        this.fades = true;
        this.desk.highlight = color;
      }, FADE_MS);
    }
  }

  private unfade(): void {
    if (this.fades) this.desk.highlight = null;
    this.fades = false;
  }

  /** What the server knows of a mark; asked once. */
  async inspect(mark: PointedMark<H>, signal?: AbortSignal): Promise<Inspection> {
    const key = this.keyOf(mark);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const { at, span, nodes } = mark;
    const question = {
      pick: mark.hit.pick,
      at,
      span,
      ...(nodes && { nodes }),
      lens: this.view.lens,
    };
    const { client, traceId } = this.view.session;
    const inspection = await client.inspect(traceId, question, signal);
    if (this.known.size >= MOST_REMEMBERED) this.known.clear();
    this.known.set(key, inspection);
    return inspection;
  }

  private async ask(mark: PointedMark<H>): Promise<void> {
    this.asking = new AbortController();
    try {
      const inspection = await this.inspect(mark, this.asking.signal);
      if (this.mark !== null && sameMark(this.mark, mark)) this.inspection = inspection;
    } catch {
      // The tooltip then says only what the picture knows; a click will tell the reason.
    }
  }

  private keyOf({ hit, at, span, nodes }: PointedMark<H>): string {
    const place = isEntity(hit.pick) ? [] : [at, span, nodes];
    return JSON.stringify([this.view.session.traceId, this.view.lens, hit.pick, place]);
  }
}

function sameMark(a: PointedMark<PointedHit>, b: PointedMark<PointedHit>): boolean {
  return (
    a.hit.pick === b.hit.pick && (isEntity(a.hit.pick) || (a.at === b.at && a.span === b.span))
  );
}
