// The session, what a trace holds, and what is wrong with it.

import type { ColorFrom, Exact, Nature, UnitInfo } from './basic';

export type TraceStatus = 'indexing' | 'ready' | 'failed';

export interface Progress {
  readonly read: number;
  readonly total: number | null;
  readonly records: number;
}

export interface SessionTrace {
  readonly id: string;
  readonly name: string;
  readonly status: TraceStatus;
  readonly progress: Progress | null;
  readonly message: string | null;
}

export interface Session {
  readonly schema: string;
  readonly version: string;
  readonly instance: Exact;
  /** Source files may be read. */
  readonly sources: boolean;
  /** The names of the networks that the server was started with. */
  readonly topologies: readonly string[];
  /** Somebody wants to know what the page measures of itself. */
  readonly measured: boolean;
  readonly traces: readonly SessionTrace[];
}

export interface TypeInfo {
  readonly id: number;
  readonly name: string;
  readonly nature: Nature;
  readonly parent: number;
  readonly color: string;
  readonly count: number;
}

export interface ValueInfo {
  readonly id: number;
  readonly type: number;
  readonly name: string;
  readonly color: string;
  readonly color_from: ColorFrom;
  readonly role: string | null;
  readonly shape: string;
  readonly count: number;
}

export interface LevelInfo {
  readonly name: string;
  readonly nodes: number;
}

export interface TraceInfo {
  readonly schema: string;
  readonly name: string;
  readonly begin_ticks: string;
  readonly length: number;
  readonly unit: UnitInfo;
  readonly records: number;
  readonly lost: number;
  readonly counts: Readonly<
    Record<'containers' | 'states' | 'links' | 'events' | 'variables', number>
  >;
  readonly producer: string | null;
  readonly changes: readonly { readonly kind: string; readonly text: string }[];
  readonly types: readonly TypeInfo[];
  readonly values: readonly ValueInfo[];
  readonly levels: readonly LevelInfo[];
  /** Of rows at first: `fit` shows all at once. */
  readonly row_height: 'fit' | number;
  readonly problems: Readonly<Record<'notes' | 'warnings' | 'errors', number>>;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
  readonly has_source: boolean;
}

export type Severity = 'note' | 'warning' | 'error' | 'fatal';

export interface Problem {
  readonly file: string | null;
  readonly line: number;
  readonly column: number;
  readonly offset?: number | null;
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
}

export interface ProblemCount extends Problem {
  readonly count: number;
}

export interface ProblemsAnswer {
  readonly schema: string;
  readonly counts: readonly ProblemCount[];
  readonly samples: readonly Problem[];
}
