// What wheels, fingers and keys mean, without the page around them.

import type { Point } from '../../lib/geometry';
import { panned, spanOf, type Window, within, zoomed } from '../../lib/window';
import type { ChainStep } from '../../state/types';

/** About the pixels of what wheels count that count lines or pages. */
const LINE_PIXELS = 16;
const PAGE_PIXELS = 400;
/** A notch of a usual wheel, about 100 pixels, zooms by about a fifth. */
const ZOOM_PER_PIXEL = 0.0022;
/** Trackpads send a pinch as a wheel with Ctrl and small numbers. */
const PINCH_PER_PIXEL = 0.01;
const PINCH_MOST = 50;

export interface WheelInput {
  readonly deltaX: number;
  readonly deltaY: number;
  readonly deltaMode: number;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

export type WheelMeaning =
  | { readonly kind: 'zoom'; readonly factor: number }
  | { readonly kind: 'pan'; readonly pixels: number }
  | { readonly kind: 'scroll'; readonly pixels: number };

/** A wheel zooms, pans, or scrolls the rows when they overflow. */
export function wheelMeaning(input: WheelInput, rowsOverflow: boolean): WheelMeaning {
  const scale = [1, LINE_PIXELS, PAGE_PIXELS][input.deltaMode] ?? 1;
  const [dx, dy] = [input.deltaX * scale, input.deltaY * scale];
  if (input.ctrlKey || input.metaKey) {
    const rate = Math.abs(dy) < PINCH_MOST ? PINCH_PER_PIXEL : ZOOM_PER_PIXEL;
    return { kind: 'zoom', factor: Math.exp(dy * rate) };
  }
  if (input.shiftKey) return { kind: 'pan', pixels: dx === 0 ? dy : dx };
  if (Math.abs(dx) > Math.abs(dy)) return { kind: 'pan', pixels: dx };
  if (rowsOverflow) return { kind: 'scroll', pixels: dy };
  return { kind: 'zoom', factor: Math.exp(dy * ZOOM_PER_PIXEL) };
}

/** The window after two fingers have moved: the times under them stay under them. */
export function pinched(
  window: Window,
  width: number,
  before: readonly [Point, Point],
  after: readonly [Point, Point],
  length: number,
): Window {
  const ticks = (x: number) => window.from + (x / width) * spanOf(window);
  const apart = Math.abs(after[1].x - after[0].x);
  const middle = (fingers: readonly [Point, Point]) => (fingers[0].x + fingers[1].x) / 2;
  const wasApart = Math.abs(before[1].x - before[0].x);
  // Fingers above each other say nothing about a scale of time.
  const factor = wasApart < 8 || apart < 8 ? 1 : wasApart / apart;
  const span = spanOf(window) * factor;
  const from = ticks(middle(before)) - (middle(after) / width) * span;
  return within({ from, to: from + span }, length);
}

export type KeyMeaning =
  | { readonly kind: 'window'; readonly change: (window: Window, share: number) => Window }
  | { readonly kind: 'scroll'; readonly rows: number }
  | ({ readonly kind: 'step' } & ChainStep)
  | { readonly kind: 'fit' | 'mark' | 'group' | 'hide' | 'clear' };

export interface KeyInput {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

const ZOOM_STEP = 0.75;
const PAN_STEP = 0.12;
const FAR_PAN_STEP = 0.8;
const SCROLL_ROWS = 3;

/** Keys that lead from one thing to the next. */
const CHAINS: Readonly<Record<string, readonly [ChainStep['along'], ChainStep['step']]>> = {
  '[': ['row', -1],
  ']': ['row', 1],
  p: ['cause', -1],
  n: ['cause', 1],
  k: ['path', -1],
  j: ['path', 1],
  l: ['length', 1],
};

/** What a key does in a timeline, or `null`. `length` is that of the trace. */
export function keyMeaning(input: KeyInput, length: number): KeyMeaning | null {
  if (input.ctrlKey || input.metaKey || input.altKey) return null;
  const zoom = (factor: number): KeyMeaning => ({
    kind: 'window',
    change: (window, share) => zoomed(window, factor, share, length),
  });
  const pan = (direction: -1 | 1): KeyMeaning => {
    const step = direction * (input.shiftKey ? FAR_PAN_STEP : PAN_STEP);
    return { kind: 'window', change: (window) => panned(window, step, length) };
  };
  const chain = CHAINS[input.key.toLowerCase()];
  if (chain !== undefined) {
    const [along, step] = chain;
    return { kind: 'step', along, step: along === 'length' && input.shiftKey ? -1 : step };
  }
  switch (input.key.length === 1 ? input.key.toLowerCase() : input.key) {
    case 'w':
    case '+':
    case '=':
      return zoom(ZOOM_STEP);
    case 's':
    case '-':
    case '−':
    case '_':
      return zoom(1 / ZOOM_STEP);
    case 'a':
    case 'ArrowLeft':
      return pan(-1);
    case 'd':
    case 'ArrowRight':
      return pan(1);
    case 'ArrowUp':
      return { kind: 'scroll', rows: -SCROLL_ROWS };
    case 'ArrowDown':
      return { kind: 'scroll', rows: SCROLL_ROWS };
    case 'f':
      return { kind: 'fit' };
    case 'm':
      return { kind: 'mark' };
    case 'g':
      return { kind: 'group' };
    case 'h':
      return { kind: 'hide' };
    case 'Escape':
      return { kind: 'clear' };
    default:
      return null;
  }
}
