// The trade-offs of an overview: between two breakpoints the picture is the same, so that a slider
// needs one notch for each.

import type { TradeOff } from '../../api/types';

/** The number of the trade-off that holds `p`; the one to begin with if there is none. */
export function notchOf(segments: readonly TradeOff[], usual: number, p: number | null): number {
  if (p === null) return usual;
  const found = segments.findIndex(({ to }) => p <= to);
  return found < 0 ? Math.max(segments.length - 1, 0) : found;
}

/** Trade-offs that matter lie close to 0, so that equal steps of an axis are equal ratios. */
export interface TradeOffAxis {
  /** The smallest power of ten that is shown: everything below is at the left end. */
  readonly lowest: number;
  /** Powers of ten with their places, from 0 to 1. */
  readonly marks: readonly { readonly p: number; readonly at: number }[];
  placeOf(p: number): number;
  tradeOffAt(place: number): number;
}

const SMALLEST_POWER = -9;
const MOST_MARKS = 5;

export function axisOf(segments: readonly TradeOff[]): TradeOffAxis {
  const positive = segments.map(({ from }) => from).filter((from) => from > 0);
  const first = Math.min(0.1, ...positive);
  const power = Math.max(Math.floor(Math.log10(first)), SMALLEST_POWER);
  const placeOf = (p: number) => (p <= 10 ** power ? 0 : 1 - Math.log10(p) / power);
  const step = Math.ceil(-power / MOST_MARKS);
  const marks = [];
  for (let at = 0; at >= power; at -= step) {
    const p = Number(`1e${at}`);
    marks.push({ p, at: placeOf(p) });
  }
  return {
    lowest: 10 ** power,
    marks,
    placeOf,
    tradeOffAt: (place) => 10 ** (power * (1 - place)),
  };
}

/** A share of all trade-offs as steps: a pair of points for each segment, in a square of 1. */
export function curveOf(
  segments: readonly TradeOff[],
  axis: TradeOffAxis,
  share: 'gain_share' | 'loss_share',
): readonly (readonly [number, number])[] {
  return segments.flatMap((segment) => [
    [axis.placeOf(segment.from), 1 - segment[share]] as const,
    [axis.placeOf(segment.to), 1 - segment[share]] as const,
  ]);
}

const LEAST_DIGITS = 3;
const MOST_DIGITS = 12;

/** The trade-off at a notch, with the digits that tell it from those beside it. */
export function textOfP(segments: readonly TradeOff[], notch: number): string {
  const p = segments[notch]?.p;
  if (p === undefined) return '';
  if (p === 0) return '0';
  const beside = [segments[notch - 1]?.p, segments[notch + 1]?.p];
  for (let digits = LEAST_DIGITS; digits < MOST_DIGITS; digits += 1) {
    const text = shortened(p, digits);
    if (beside.every((other) => other === undefined || shortened(other, digits) !== text)) {
      return text;
    }
  }
  return shortened(p, MOST_DIGITS);
}

const shortened = (p: number, digits: number) => String(Number(p.toPrecision(digits)));
