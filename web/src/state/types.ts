// What the person chose. Everything here is plain data, so that it can stand in an address and in
// the history of the browser.

import type { LegendEntry, Lens, StepAlong } from '../api/types';
import type { Arrangement } from './arrangement';
import type { CauseMark } from './causes';
import type { RowForm } from './row_form';

/** Ticks after the begin of the trace; half open. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export type Theme = 'light' | 'dark';

/** `fit` shows all rows at once; a number is the height of a row of states in pixels. */
export type RowHeight = 'fit' | number;

export const ROW_HEIGHT = { least: 4, usual: 18, most: 48 } as const;

/** The server draws no more. */
export const MOST_STATE_DEPTHS = 64;

export type LinksMode = 'none' | 'selection' | 'all';

export interface Mark {
  readonly time: number;
  /** Where the window of a note ends. */
  readonly end?: number;
  /** The path of the row that a note is about. */
  readonly row?: string;
  readonly name: string;
  readonly note: string;
  readonly color: string;
}

export interface Selection {
  /** A pick as the server writes it, in decimal. */
  readonly pick: string | null;
  /** Where a row or an aggregate was picked: the time, and the ticks of a pixel column. */
  readonly at: number | null;
  readonly span: number | null;
  readonly nodes: readonly number[];
  readonly range: Window | null;
  /** The id of a value. */
  readonly value: number | null;
  /** The durations of states of that value that are lit, in ticks. */
  readonly lasting: Window | null;
}

export const NOTHING_SELECTED: Selection = {
  pick: null,
  at: null,
  span: null,
  nodes: [],
  range: null,
  value: null,
  lasting: null,
};

export type PanelName =
  | 'legend'
  | 'statistics'
  | 'containers'
  | 'search'
  | 'marks'
  | 'source'
  | 'sql'
  | 'problems';

export const PANEL_NAMES: readonly PanelName[] = [
  'legend',
  'statistics',
  'containers',
  'search',
  'marks',
  'source',
  'sql',
  'problems',
];

export interface Panels {
  readonly inspector: boolean;
  readonly bottom: boolean;
  /** The tab that is shown when the bottom panel is there. */
  readonly tab: PanelName;
}

/** The whole view: what an address restores and what undo goes back to. */
export interface View extends RowForm {
  readonly trace: string;
  /** `null` is the whole trace. */
  readonly window: Window | null;
  readonly lens: Lens;
  readonly selection: Selection;
  /** Nodes from this depth on are collapsed; `null` for none. */
  readonly depth: number | null;
  readonly open: readonly number[];
  readonly closed: readonly number[];
  /** Nodes whose rows stay above the others while these scroll. */
  readonly pins: readonly number[];
  readonly rowHeight: RowHeight;
  readonly scrollY: number;
  readonly links: LinksMode;
  readonly causes: readonly CauseMark[];
  readonly panels: Panels;
  readonly workspace: Arrangement;
  /** The page beside this one, as `beside.ts` writes it; empty without one. */
  readonly beside: string;
  readonly marks: readonly Mark[];
}

export interface Status {
  /** `null` where the view has none. */
  readonly rows: number | null;
  readonly exact: boolean;
  readonly notes: readonly string[];
  readonly ms: number;
  /** What the colours of the picture mean. */
  readonly legend: readonly LegendEntry[];
}

/** What a menu is about. `at` is the time under the pointer. */
export type MenuSubject =
  | {
      readonly kind: 'row';
      readonly nodes: readonly number[];
      readonly name: string;
      readonly path: string;
    }
  | { readonly kind: 'entity'; readonly pick: string; readonly at: number; readonly span: number }
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'time'; readonly at: number };

export interface OpenMenu {
  readonly x: number;
  readonly y: number;
  readonly about: MenuSubject;
}

/** A step back or on, and in which order. */
export interface ChainStep {
  readonly step: -1 | 1;
  readonly along: StepAlong;
}

export interface SourceLine {
  readonly file: string;
  readonly line: number;
}
