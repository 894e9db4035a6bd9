// What the server is asked and what it answers. docs/http-api.md describes the contract.

import type { Lens } from './lens';

export type * from './lens';

/** Ticks after the begin of the trace; half open. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** A whole number that may be too large for a script; such a one arrives as a text. */
export type Exact = number | string;

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

export interface UnitInfo {
  readonly name: string;
  readonly assumed: boolean;
  readonly ticks_per_unit: Exact;
}

export type Nature = 'container' | 'state' | 'event' | 'variable' | 'link';
export type ColorFrom = 'lens' | 'remembered' | 'trace' | 'role' | 'palette';

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
  readonly problems: Readonly<Record<'notes' | 'warnings' | 'errors', number>>;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
  readonly has_source: boolean;
}

// Questions.

export interface Question {
  readonly window?: TimeWindow;
  readonly lens?: Lens;
}

export type RowsAsked =
  | { readonly fit: number }
  | { readonly height: number; readonly from: number; readonly to: number };

export type LinksAsked =
  | 'none'
  | 'all'
  | { readonly of: readonly string[]; readonly nodes: readonly number[] };

export interface TimelineQuestion extends Question {
  readonly width: number;
  readonly rows: RowsAsked;
  readonly depth: number | null;
  readonly open: readonly number[];
  readonly closed: readonly number[];
  readonly groups: boolean;
  readonly links: LinksAsked;
  readonly events?: boolean;
  readonly variables?: boolean;
  readonly theme: 'light' | 'dark';
}

/** What `minimap` and the views besides the timeline take. */
export interface SceneQuestion extends Question {
  readonly width: number;
  readonly height: number;
  readonly theme: 'light' | 'dark';
}

export type ViewName =
  | 'treemap'
  | 'overview'
  | 'pie'
  | 'bars'
  | 'matrix'
  | 'histogram'
  | 'concurrency'
  | 'efficiency'
  | 'flame'
  | 'commgram'
  | 'graph';

/** What `onca render` draws besides timelines. */
export type FigureName = ViewName | 'scene3d' | 'topology';

/** A part of all messages: those of a phase, those inside of a community, or both. */
export interface MessagesPart {
  /** The sums of start and end, in ticks after the begin. */
  readonly within?: { readonly first: number; readonly last: number };
  readonly among?: readonly number[];
}

export interface PhasesQuestion extends Question {
  readonly depth?: number;
  readonly phases?: number;
  readonly communities?: number;
  /** Of the picture that the answer is for, which may have room for fewer phases. */
  readonly width?: number;
  readonly messages?: MessagesPart;
}

/** Phases and communities are known by their places. */
export interface FlowQuestion extends PhasesQuestion {
  readonly flow: {
    readonly phase: number;
    readonly from: number;
    readonly to: number;
    readonly limit: number;
  };
}

export interface PhaseFound {
  readonly pattern: string;
  readonly start: number;
  readonly end: number;
  readonly within: { readonly first: number; readonly last: number };
  readonly messages: number;
  readonly size: number;
  readonly idle: number;
  /** The places of processors. */
  readonly communities: readonly (readonly number[])[];
  readonly height: number;
  readonly difference_to_next: number | null;
}

export interface PhasesAnswer {
  readonly schema: string;
  readonly messages: { readonly count: number; readonly left_out: number };
  /** Their paths, and their nodes. */
  readonly processors: readonly string[];
  readonly nodes: readonly (number | null)[];
  readonly weight: 'size' | 'count';
  readonly most_phases: number;
  readonly suggestions: readonly { readonly phases: number; readonly contrast: number }[];
  readonly phases: readonly PhaseFound[];
  readonly repetition: {
    readonly phases: number;
    readonly patterns: readonly string[];
    /** In units of the trace. */
    readonly length: number | null;
    readonly iterations: readonly object[];
  } | null;
}

export interface FlowMessage {
  readonly pick: string | null;
  readonly operation: string | null;
  readonly from: string;
  readonly to: string;
  readonly from_node: number | null;
  readonly to_node: number | null;
  readonly start: number;
  readonly end: number;
  readonly size: number | null;
}

export interface FlowAnswer {
  readonly schema: string;
  readonly count: number;
  readonly size: number;
  readonly sizes: readonly [number, number] | null;
  readonly start: number;
  readonly end: number;
  readonly operations: readonly { readonly name: string; readonly count: number }[];
  readonly messages: readonly FlowMessage[];
}

/** A time at which much changes. */
export interface Peak {
  readonly time: number;
  readonly of: 'states' | 'communication';
  readonly change: number;
}

/** What `solid` takes: a scene in space. */
export interface SolidQuestion extends Question {
  readonly base?: SolidBase;
  readonly layout?: string;
  readonly topology?: string;
  readonly cables?: string;
  readonly depth?: number;
  readonly sized_by?: string;
  readonly metric?: string;
  /** Pixels of the time axis: what would be thinner is summed up. */
  readonly height: number;
  readonly arrows?: number;
  readonly events: boolean;
  readonly variables: boolean;
  readonly theme: 'light' | 'dark';
}

export type SolidBase = 'graph' | 'topology' | 'treemap' | 'coords';

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

export type ExportFormat = 'svg' | 'png' | 'pdf';

export type ExportQuestion =
  | ((TimelineQuestion | SceneQuestion) & {
      readonly view: 'timeline' | FigureName;
      readonly format: ExportFormat;
      readonly scale?: number;
    })
  | (Question & { readonly view: 'page' });

export interface ExportAnswer {
  readonly file: Blob;
  /** The command that makes the same file. */
  readonly command: string;
}

export interface CommandAnswer {
  readonly command: string;
  readonly lens_file: string | null;
}

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

/** A path of nested states. */
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

export interface LensAnswer {
  readonly schema: string;
  readonly trace: string;
  readonly containers: { readonly seen: number; readonly all: number };
  readonly levels: readonly { readonly level: string; readonly nodes: number }[];
  readonly types: readonly {
    readonly type: string;
    readonly nature: Nature;
    readonly seen: boolean;
    readonly color: string;
    readonly color_from: ColorFrom;
    readonly shape: string;
    readonly height: number;
  }[];
  readonly values: readonly {
    readonly type: string;
    readonly value: string;
    readonly seen: boolean;
    readonly role: string | null;
    readonly color: string;
    readonly color_from: ColorFrom;
    readonly shape: string;
    readonly height: number;
  }[];
  readonly lens: Lens;
}

export interface KeptMark {
  readonly time: number;
  readonly name: string;
  readonly note: string;
  readonly color: string;
}

export interface MarksAnswer {
  readonly schema: string;
  readonly marks: readonly KeptMark[];
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

export interface SqlAnswer {
  readonly schema: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly SqlCell[])[];
  readonly truncated: boolean;
}

export interface SourceAnswer {
  readonly schema: string;
  readonly file: string;
  readonly lines: readonly string[];
}

// Scenes.

export type RowState = 'leaf' | 'open' | 'closed' | 'merged';

export interface TimelineRow {
  readonly nodes: readonly number[];
  readonly name: string;
  readonly kind: string;
  readonly depth: number;
  readonly y0: number;
  readonly y1: number;
  readonly state: RowState;
  /** How many containers lie below. */
  readonly below: number;
  readonly path: string;
}

/** The numbers beside a graph, in the pixels of rows. */
export interface GraphScale {
  readonly name: string;
  readonly y0: number;
  readonly y1: number;
  readonly marks: readonly { readonly y: number; readonly text: string }[];
}

export interface LegendEntry {
  readonly name: string;
  readonly color: string;
  readonly value: number | null;
  readonly share: number | null;
}
