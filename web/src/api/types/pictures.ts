// Pictures, on the page and as files.

import type { Question } from './basic';

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

/** The name of a view: the server tells which there are. */
export type ViewName = string;

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

export interface CommandAnswer {
  readonly command: string;
  readonly lens_file: string | null;
}

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
