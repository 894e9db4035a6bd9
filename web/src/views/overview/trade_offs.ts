// The trade-offs of an overview: between two breakpoints the picture is the same, so that a slider
// needs one notch for each.

import type { TradeOff } from '../../api/types';

/** The number of the trade-off that holds `p`; the one to begin with if there is none. */
export function notchOf(segments: readonly TradeOff[], usual: number, p: number | null): number {
  if (p === null) return usual;
  const found = segments.findIndex(({ to }) => p <= to);
  return found < 0 ? Math.max(segments.length - 1, 0) : found;
}

/** A share of all trade-offs as steps: a pair of points for each segment, in a square of 1. */
export function curveOf(
  segments: readonly TradeOff[],
  share: 'gain_share' | 'loss_share',
): readonly (readonly [number, number])[] {
  return segments.flatMap((segment) => [
    [segment.from, 1 - segment[share]] as const,
    [segment.to, 1 - segment[share]] as const,
  ]);
}
