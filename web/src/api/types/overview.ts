// Trade-offs, disruptions and times of much change.

import type { Exact, Question } from './basic';

export interface OverviewQuestion extends Question {
  readonly slices: number;
  readonly idle?: boolean;
  /** How many disruptions are wanted. */
  readonly disruptions?: number;
}

/** Trade-offs between two breakpoints have the same best partition. */
export interface TradeOff {
  readonly from: number;
  readonly to: number;
  readonly p: number;
  readonly gain_share: number;
  readonly loss_share: number;
  readonly aggregates: number;
}

/** By how much the share of a value changes. */
export interface ValueShift {
  readonly value: string | null;
  readonly by: number;
}

export interface DisruptionFound {
  readonly score: number;
  readonly from_ticks: Exact;
  readonly to_ticks: Exact;
  readonly containers: readonly string[];
  readonly rises: ValueShift | null;
  readonly falls: ValueShift | null;
}

export interface OverviewAnswer {
  readonly schema: string;
  readonly curve: { readonly segments: readonly TradeOff[]; readonly default: number };
  readonly disruptions: {
    readonly threshold: number;
    readonly found: number;
    readonly highest: number;
    readonly disruptions: readonly DisruptionFound[];
  } | null;
}

/** A time at which much changes. */
export interface Peak {
  readonly time: number;
  readonly of: 'states' | 'communication';
  readonly change: number;
}
