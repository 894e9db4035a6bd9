// What the server is asked and what it answers. Answers are made of the types of the server; what is
// written here is what the page asks for. docs/http-api.md describes the contract.

import type * as wire from './generated';

export type * from './generated';

/** What most questions have. */
export interface Question {
  readonly window?: wire.TimeWindow;
  readonly lens?: wire.Lens;
}

export type FindQuestion = Question & wire.FindQuestion;
export type LineQuestion = Question & wire.LineQuestion;
export type InspectQuestion = Question & wire.InspectQuestion;
export type OverviewQuestion = Question & wire.OverviewQuestion;
export type StatisticsQuestion = Question & wire.StatisticsQuestion;
export type ProfileQuestion = Question & wire.ProfileQuestion;
export type ContainersQuestion = Question & wire.ContainersQuestion;
export type FindAnswer = wire.FoundPage<wire.Found>;
export type CompareAnswer = wire.Compare<wire.ShownChange>;
export type CompareFinding = wire.ShownChange;
export interface CompareQuestion extends Question {
  /** The number of the first run. */
  readonly before: string;
  readonly align: string;
  readonly depth?: number;
}
export type Finding = wire.ShownFinding;
export type FindingsAnswer = wire.Findings<Finding>;

/** A part of all messages: those of a phase, those inside of a community, or both. */
export interface MessagesPart {
  readonly within?: wire.Middles;
  readonly among?: readonly number[];
  readonly no_collectives?: boolean;
  readonly only_collectives?: boolean;
}

export interface PhasesQuestion extends Question {
  readonly depth?: number;
  readonly phases?: number;
  readonly communities?: number;
  /** No more phases than a picture shows. */
  readonly on_screen?: boolean;
  readonly messages?: MessagesPart;
}

export interface FlowQuestion extends PhasesQuestion {
  readonly flow: wire.FlowPlace;
}

export type LinksAsked =
  | 'none'
  | 'all'
  | { readonly of: readonly string[]; readonly nodes: readonly number[]; readonly few: number };

export interface TimelineQuestion extends Question {
  readonly width: number;
  readonly rows: wire.RowsAsked;
  readonly depth: number | null;
  readonly open: readonly number[];
  readonly closed: readonly number[];
  /** Rows of these nodes and no others. */
  readonly only?: readonly number[];
  readonly groups: boolean;
  readonly links: LinksAsked;
  readonly events?: boolean;
  readonly variables?: boolean;
  /** States down to this depth of nesting only. */
  readonly state_depths?: number;
  /** The variables of a row over each other, on one scale. */
  readonly overlay?: boolean;
  readonly waits?: boolean;
  readonly critical_path?: boolean;
  readonly theme: wire.Theme;
}

/** What `minimap` and the views besides the timeline take. */
export interface SceneQuestion extends Question {
  readonly width: number;
  readonly height: number;
  readonly theme: wire.Theme;
}

/** The name of a view: the server tells which there are. */
export type ViewName = string;

/** What `solid` takes: a scene in space. */
export interface SolidQuestion extends Question {
  readonly base?: wire.SolidBase;
  readonly layout?: string;
  readonly topology?: string;
  readonly cables?: string;
  readonly depth?: number;
  readonly sized_by?: string;
  readonly metric?: string;
  /** Pixels of the time axis: what would be thinner is summed up. */
  readonly height: number;
  readonly arrows?: number;
  /** The message whose way over the network is drawn. */
  readonly route?: string;
  readonly events: boolean;
  readonly variables: boolean;
  readonly critical_path?: boolean;
  readonly theme: wire.Theme;
}

export type ExportFormat = 'svg' | 'png' | 'pdf';

export type ExportQuestion =
  | ((TimelineQuestion | SceneQuestion) & {
      readonly view: ViewName;
      readonly format: ExportFormat;
      readonly scale?: number;
    })
  | (Question & { readonly view: 'page' });

export interface ExportAnswer {
  readonly file: Blob;
  /** The command that makes the same file. */
  readonly command: string;
}

export type SqlCell = string | number | boolean | null;

/** The forms in which rows are saved. */
export type RowFile = 'csv' | 'safe-csv' | 'parquet';

/** The program that answers SQL writes it row by row. */
export interface SqlAnswer {
  readonly schema: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly SqlCell[])[];
  readonly truncated: boolean;
}
