// Statistics, profiles and SQL.

import type { Exact, Question, UnitInfo } from './basic';

export interface StatisticsQuestion extends Question {
  readonly nodes?: readonly number[];
}

export interface ValueStatistics {
  readonly node: { readonly path: string; readonly kind: string };
  readonly value: string;
  readonly type: string;
  readonly nature: 'state' | 'link' | 'event';
  readonly role: string | null;
  readonly total: number | null;
  readonly total_ticks: Exact | null;
  readonly share: number | null;
  readonly count: number;
  readonly size: number | null;
  readonly min_ticks: Exact | null;
  readonly mean_ticks: number | null;
  readonly median_ticks: Exact | null;
  readonly p90_ticks: Exact | null;
  readonly p99_ticks: Exact | null;
  readonly max_ticks: Exact | null;
  readonly exact: boolean;
}

export interface StatisticsAnswer {
  readonly schema: string;
  readonly unit: UnitInfo;
  readonly scanned: boolean;
  readonly measure: 'exclusive' | 'inclusive';
  readonly values: readonly ValueStatistics[];
}

export interface ProfileQuestion extends StatisticsQuestion {
  /** Paths with a smaller share of all time are left out. */
  readonly min_share?: number;
}

export interface ProfilePath {
  readonly value: string;
  readonly type: string;
  /** The place of the path that it continues. */
  readonly outer: number | null;
  readonly depth: number;
  readonly count: number;
  readonly inclusive_ticks: Exact;
  readonly exclusive_ticks: Exact;
}

export interface ProfileAnswer {
  readonly schema: string;
  readonly total_ticks: Exact;
  readonly left_out: number;
  readonly left_out_exclusive_ticks: Exact;
  /** Each before those that continue it. */
  readonly paths: readonly ProfilePath[];
}

export interface SqlTablesAnswer {
  readonly schema: string;
  readonly tables: readonly {
    readonly name: string;
    readonly columns: readonly { readonly name: string; readonly type: string }[];
  }[];
  readonly examples: readonly { readonly title: string; readonly sql: string }[];
}

export type SqlCell = string | number | boolean | null;

/** The forms in which rows are saved. */
export type RowFile = 'csv' | 'safe-csv' | 'parquet';

export interface SqlAnswer {
  readonly schema: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly SqlCell[])[];
  readonly truncated: boolean;
}
