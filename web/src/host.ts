// What a page that stands in another one and that page tell each other, besides requests. The other
// page holds the data; `python/onca/_widget.js` is one.

import type { PortAnswer, PortRequest } from './api/port';
import { NOTHING_SELECTED, type Selection, type Window } from './state/types';

/** `null` is the whole trace, or nothing selected. */
export interface Shown {
  readonly window: Window | null;
  readonly selection: Selection | null;
}

/** The first message. The port for all others comes with it. */
export interface Greeting extends Shown {
  readonly kind: 'onca';
  /** What the page told last when it was shown before. */
  readonly fragment: string;
  readonly isDark: boolean;
}

export type FromHost =
  | PortAnswer
  | { readonly kind: 'window'; readonly window: Window | null }
  | { readonly kind: 'selection'; readonly selection: Selection | null }
  | { readonly kind: 'theme'; readonly isDark: boolean };

export type ToHost =
  | PortRequest
  | { readonly kind: 'window'; readonly window: Window | null }
  | { readonly kind: 'selection'; readonly selection: Selection | null }
  /** How the view is written in addresses. */
  | { readonly kind: 'fragment'; readonly fragment: string }
  /** The keys are for the other page again. */
  | { readonly kind: 'leave' }
  /** A key that is meant for the other page. */
  | { readonly kind: 'key'; readonly key: KeyboardEventInit };

/** A window, if it is one; the whole trace for everything else. */
export function readWindow(told: unknown): Window | null {
  const { from, to } = (told ?? {}) as Partial<Record<'from' | 'to', unknown>>;
  return isTime(from) && isTime(to) && from < to ? { from, to } : null;
}

/** A selection of which parts may be missing or wrong: programs write them. */
export function readSelection(told: unknown): Selection {
  const { pick, at, span, nodes, range, value, lasting } = (told ?? {}) as Partial<
    Record<keyof Selection, unknown>
  >;
  return {
    pick: typeof pick === 'string' && /^\d{1,20}$/.test(pick) ? pick : null,
    at: isTime(at) ? at : null,
    span: isTime(span) ? span : null,
    nodes: Array.isArray(nodes) ? nodes.filter(isTime) : [],
    range: readWindow(range),
    value: isTime(value) ? value : null,
    lasting: readWindow(lasting),
  };
}

/** Nothing selected is `null` for others. */
export function writeSelection(selection: Selection): Selection | null {
  const isNothing = JSON.stringify(selection) === JSON.stringify(readSelection(NOTHING_SELECTED));
  return isNothing ? null : selection;
}

function isTime(told: unknown): told is number {
  return typeof told === 'number' && Number.isSafeInteger(told) && told >= 0;
}

/** Others need not learn of every frame of a gesture. */
const REST_MS = 100;

/** Tells a value when it is another one, not too often, and the last one always. */
export class Told<T> {
  #last: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isResting = false;
  #waiting: T | undefined;
  readonly #tell: (value: T) => void;

  constructor(known: T, tell: (value: T) => void) {
    this.#last = JSON.stringify(known);
    this.#tell = tell;
  }

  /** The value is this one now. */
  set(value: T): void {
    if (this.#isResting) {
      this.#waiting = value;
      return;
    }
    const text = JSON.stringify(value);
    if (text === this.#last) return;
    this.#last = text;
    this.#tell(value);
    this.#isResting = true;
    this.#timer = setTimeout(() => this.#rested(), REST_MS);
  }

  /** The other side knows it already: it said so. What was to be told is older than that. */
  heard(value: T): void {
    clearTimeout(this.#timer);
    this.#isResting = false;
    this.#waiting = undefined;
    this.#last = JSON.stringify(value);
  }

  #rested(): void {
    this.#isResting = false;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.set(waiting);
  }
}
