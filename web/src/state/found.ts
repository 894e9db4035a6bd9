// What a search finds, for the page: its times counted from the begin of the trace.

import type { Exact, Found } from '../api/types';
import type { TimeBase } from '../lib/time';
import type { Navigation } from './navigation.svelte';

export function ticksAfterBegin(base: TimeBase, ticks: Exact): number {
  return Number(BigInt(ticks) - base.begin);
}

/** When something begins and ends; half a link has only one of the two. */
export function timesOf(base: TimeBase, found: Found): { start: number; end: number } {
  const known = found.start_ticks ?? found.end_ticks ?? 0;
  return {
    start: ticksAfterBegin(base, found.start_ticks ?? known),
    end: ticksAfterBegin(base, found.end_ticks ?? known),
  };
}

export function showFound(navigation: Navigation, found: Found): void {
  const { base } = navigation.session;
  if (base === null) return;
  const { start, end } = timesOf(base, found);
  navigation.reveal(found.pick, found.node, start, end);
}
