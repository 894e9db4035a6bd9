// Single entities: inspected, found, and the source code that made them.

import type { Exact, Question, UnitInfo } from './basic';

export interface InspectQuestion extends Question {
  readonly pick: string;
  readonly at?: number;
  readonly span?: number;
  /** All nodes of the row there, if it stands for several. */
  readonly nodes?: readonly number[];
}

export type InspectKind =
  | 'state'
  | 'link'
  | 'event'
  | 'variable'
  | 'container'
  | 'aggregate'
  | 'value';

export interface NestedState {
  readonly pick: string;
  readonly title: string;
  readonly start: number;
  readonly end: number;
  readonly relation: 'around' | 'inside';
}

export interface InspectLink {
  readonly pick: string;
  readonly direction: 'in' | 'out';
  readonly title: string;
  readonly start: number | null;
  readonly end: number | null;
  readonly node: number | null;
  readonly path: string | null;
}

export interface SameValue {
  readonly count: number;
  readonly total: number;
  readonly share: number | null;
  readonly min: number | null;
  readonly mean: number | null;
  readonly max: number | null;
}

export interface ShareOfAggregate {
  readonly value: number;
  readonly title: string;
  readonly color: string;
  readonly ticks: number;
  readonly share: number;
  readonly count: number;
}

export interface Inspection {
  readonly schema: string;
  readonly kind: InspectKind;
  readonly title: string;
  readonly color: string | null;
  readonly node: number | null;
  readonly path: string | null;
  readonly container: string | null;
  readonly destination_node?: number | null;
  readonly destination_path?: string | null;
  readonly start: number | null;
  readonly end: number | null;
  readonly fields: readonly { readonly name: string; readonly text: string }[];
  readonly source?: { readonly file: string; readonly line: number } | null;
  readonly nesting?: readonly NestedState[];
  readonly inside_left_out?: number;
  readonly links?: readonly InspectLink[];
  readonly links_left_out?: number;
  readonly same_value?: SameValue | null;
  readonly shares?: readonly ShareOfAggregate[];
  readonly related?: readonly string[];
}

export type FindField = 'values' | 'containers' | 'types' | 'extras' | 'keys';

export type FindKind = 'container' | 'state' | 'event' | 'variable' | 'link';

export interface FindQuestion extends Question {
  readonly pattern: string;
  readonly ignore_case?: boolean;
  readonly kinds?: readonly FindKind[];
  readonly fields?: readonly FindField[];
  readonly longer_than?: number;
  readonly shorter_than?: number;
  readonly after?: string;
  readonly limit?: number;
}

export interface LineQuestion extends Question {
  readonly file: string;
  readonly line: number;
  readonly after?: string;
  readonly limit?: number;
}

export interface Found {
  readonly kind: FindKind;
  readonly type: string;
  readonly start: number | null;
  readonly end: number | null;
  readonly duration: number | null;
  readonly start_ticks: Exact | null;
  readonly end_ticks: Exact | null;
  readonly duration_ticks: Exact | null;
  readonly container: string;
  readonly destination?: string | null;
  readonly key?: string | null;
  readonly value: string | number | null;
  readonly extras?: readonly { readonly name: string; readonly text: string }[];
  readonly cursor: string;
  readonly pick: string;
  readonly node: number | null;
}

export interface FindAnswer {
  readonly schema: string;
  readonly unit: UnitInfo;
  readonly scanned: boolean;
  readonly next: string | null;
  readonly found: readonly Found[];
}

export interface SourceAnswer {
  readonly schema: string;
  readonly file: string;
  readonly lines: readonly string[];
}
