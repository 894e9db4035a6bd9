// The views that are open side by side, what each of them shows, and whether it follows the window
// and the lens of all.

import { TABS } from '../api/generated';
import type { Lens, Tab } from '../api/types';
import { clamp } from '../lib/number';
import { LAYOUTS, readSpace, type SpaceOptions, USUAL_SPACE, writtenSpace } from './space';
import type { Window } from './types';
import { readUnfolded, type Unfolded, writtenUnfolded } from './unfolded';

export const PANE_VIEWS = TABS;
export type PaneView = Tab;

export const CHARTS = ['pie', 'bars', 'histogram', 'concurrency', 'efficiency'] as const;
export const LENGTHS = ['share', 'time'] as const;
export const METRICS = ['count', 'bytes', 'time'] as const;
export const COUNTED = ['states', 'links', 'link-sizes', 'link-durations'] as const;

/** Do collective operations count as communication? */
export const COLLECTIVES = ['with', 'without', 'alone'] as const;
export const WAVE = { least: 0, usual: 0.2, most: 0.9 } as const;
export const BANDS = { least: 0.25, usual: 1, most: 4 } as const;
/** How many times higher than its pane a picture of phases is. */
export const TALL = { least: 1, usual: 1, most: 16 } as const;
/** Where the curve of phases is. */
export const CURVES = ['below', 'over', 'alone'] as const;
export const THINNEST = { least: 1, usual: 3, most: 20 } as const;
/** Along which axes an overview joins cells. */
export const AXES = ['both', 'time', 'time-of-each'] as const;
/** Which partition an overview shows. */
export const AREAS = ['optimum', 'grid', 'product', 'all'] as const;
export const SLICES = { least: 10, usual: 30, most: 1000 } as const;

/** What was chosen of the options that the server describes. */
export type ChosenOptions = Readonly<Record<string, unknown>>;

/** What a view is asked for. A pane keeps them all, so that going to a view and back loses none. */
export interface PaneOptions {
  /** The distance from the root; `null` for the leaves, or for everything as one in a pie. */
  readonly depth: number | null;
  readonly slices: number;
  /** The trade-off of an overview; `null` lets the server choose. */
  readonly p: number | null;
  /** The time in no state is a value too. */
  readonly idle: boolean;
  /** All values of an area of an overview. */
  readonly allValues: boolean;
  /** What an overview is of, if not of states. */
  readonly quantity: string | null;
  readonly axis: (typeof AXES)[number];
  readonly areas: (typeof AREAS)[number];
  /** Rows of an overview that are thinner are drawn together, in pixels. */
  readonly thinnest: number;
  /** The id of the value that a chart is about. */
  readonly alone: number | null;
  /** The ids of the values that a treemap shows; `null` for all. */
  readonly shown: readonly number[] | null;
  /** What a cell of a treemap has of the containers in it; `null` for the sum. */
  readonly agg: string | null;
  /** What a treemap shows instead of a metric. */
  readonly ratio: string | null;
  readonly metric: (typeof METRICS)[number] | null;
  /** A chart, or another view that the server describes. */
  readonly chart: string;
  /** What such a view is asked for, by its name. */
  readonly asked: Readonly<Record<string, ChosenOptions>>;
  readonly length: (typeof LENGTHS)[number];
  readonly counted: (typeof COUNTED)[number];
  /** How many phases of communication, and communities in each; `null` lets the server choose. */
  readonly phases: number | null;
  readonly communities: number | null;
  readonly collectives: (typeof COLLECTIVES)[number];
  /** Only operations of this name count; `null` for all. */
  readonly operation: string | null;
  readonly tall: number;
  readonly curve: (typeof CURVES)[number];
  /** The phases and communities that are unfolded, one inside of the other. */
  readonly unfolded: readonly Unfolded[];
  /** How much phases are moved up and down, and how wide their bands are. */
  readonly wave: number;
  readonly bands: number;
  /** The window that a treemap is compared with. */
  readonly against: Window | null;
  /** Both windows side by side, not their difference. */
  readonly beside: boolean;
  /** The ids of the values that count as useful; `null` leaves it to their roles. */
  readonly useful: readonly number[] | null;
  /** The names of nested values into which a flame graph is enlarged. */
  readonly path: readonly string[] | null;
  /** How a graph is laid out. */
  readonly layout: (typeof LAYOUTS)[number];
  readonly space: SpaceOptions;
}

export const USUAL_OPTIONS: PaneOptions = {
  depth: null,
  slices: SLICES.usual,
  p: null,
  idle: false,
  allValues: false,
  quantity: null,
  axis: 'both',
  areas: 'optimum',
  thinnest: THINNEST.usual,
  alone: null,
  shown: null,
  agg: null,
  ratio: null,
  metric: null,
  chart: 'pie',
  asked: {},
  length: 'share',
  counted: 'states',
  phases: null,
  communities: null,
  collectives: 'with',
  operation: null,
  tall: TALL.usual,
  curve: 'below',
  unfolded: [],
  wave: WAVE.usual,
  bands: BANDS.usual,
  against: null,
  beside: false,
  useful: null,
  path: null,
  layout: 'force',
  space: USUAL_SPACE,
};

/** The window and the lens of a view that does not follow the others. */
export interface LockedView {
  readonly window: Window;
  readonly lens: Lens;
}

export interface PaneSettings {
  readonly view: PaneView;
  readonly options: PaneOptions;
  readonly own: LockedView | null;
}

/** One or two panes; the first has this share of the width. */
export interface Arrangement {
  readonly panes: readonly PaneSettings[];
  readonly share: number;
  /** The pane that keys are for. */
  readonly active: number;
}

export const MOST_PANES = 2;
const LEAST_SHARE = 0.15;

export function usualPane(view: PaneView): PaneSettings {
  return { view, options: USUAL_OPTIONS, own: null };
}

export const USUAL_ARRANGEMENT: Arrangement = {
  panes: [usualPane('timeline')],
  share: 0.5,
  active: 0,
};

export function withPane(
  arrangement: Arrangement,
  place: number,
  part: Partial<PaneSettings>,
): Arrangement {
  const panes = arrangement.panes.map((pane, at) => (at === place ? { ...pane, ...part } : pane));
  return { ...arrangement, panes };
}

/** A second pane, with a view that is not there yet. */
export function split(arrangement: Arrangement): Arrangement {
  if (arrangement.panes.length >= MOST_PANES) return arrangement;
  const shown = arrangement.panes.map((pane) => pane.view);
  const view = (['timeline', 'treemap'] as const).find((name) => !shown.includes(name));
  return {
    ...arrangement,
    panes: [...arrangement.panes, usualPane(view ?? 'timeline')],
    active: 1,
  };
}

/**
 * A view that is dropped on a pane: at a side of the only one it makes a second one, and on one of
 * two it takes its place. What was there before goes where the view came from.
 */
export function dropped(
  arrangement: Arrangement,
  view: PaneView,
  from: number,
  place: number,
  side: 'left' | 'right',
): Arrangement {
  const { panes, share } = arrangement;
  const [only, second] = panes;
  if (only === undefined) return arrangement;
  if (second === undefined) {
    const added = only.view === view ? { ...only } : usualPane(view);
    return side === 'left'
      ? { panes: [added, only], share, active: 0 }
      : { panes: [only, added], share, active: 1 };
  }
  if (from !== place && panes[from]?.view === view) return swapped(arrangement);
  return { ...withPane(arrangement, place, { view }), active: place };
}

/** The last pane stays. */
export function withoutPane(arrangement: Arrangement, place: number): Arrangement {
  if (arrangement.panes.length < 2) return arrangement;
  return { ...arrangement, panes: arrangement.panes.filter((_, at) => at !== place), active: 0 };
}

export function swapped(arrangement: Arrangement): Arrangement {
  const { panes, share, active } = arrangement;
  if (panes.length < 2) return arrangement;
  return { panes: [...panes].reverse(), share: 1 - share, active: 1 - active };
}

function withOptions(pane: PaneSettings, part: Partial<PaneOptions>): PaneSettings {
  return { ...pane, options: { ...pane.options, ...part } };
}

/** What is unfolded are messages of a window through a lens: with others it is gone. */
export function folded(arrangement: Arrangement): Arrangement {
  const isUnfolded = ({ own, options }: PaneSettings) =>
    own === null && options.unfolded.length > 0;
  if (!arrangement.panes.some(isUnfolded)) return arrangement;
  const panes = arrangement.panes.map((pane) =>
    isUnfolded(pane) ? withOptions(pane, { unfolded: USUAL_OPTIONS.unfolded }) : pane,
  );
  return { ...arrangement, panes };
}

/** The views that are open stay when somebody goes back; what was moved or unfolded in them does not. */
export function steppedTo(arrangement: Arrangement, kept: Arrangement): Arrangement {
  const panes = arrangement.panes.map((pane, place) => {
    const before = kept.panes[place];
    if (before?.view !== pane.view) return pane;
    const { unfolded, space } = before.options;
    return withOptions(pane, { unfolded, space: { ...pane.options.space, pins: space.pins } });
  });
  return { ...arrangement, panes };
}

/** Without what belongs to one trace alone. */
export function ofAnyTrace(arrangement: Arrangement): Arrangement {
  const { unfolded, space } = USUAL_OPTIONS;
  const panes = arrangement.panes.map((pane) => ({
    ...withOptions(pane, { unfolded, space: { ...pane.options.space, pins: space.pins } }),
    own: null,
  }));
  return { ...arrangement, panes };
}

export function withShare(arrangement: Arrangement, share: number): Arrangement {
  return { ...arrangement, share: clamp(share, LEAST_SHARE, 1 - LEAST_SHARE) };
}

/** As a text for an address: a word for a plain view, else a list of panes and the share. */
export function writeArrangement(arrangement: Arrangement): string {
  const panes = arrangement.panes.map(writtenPane);
  if (panes.length > 1) panes.push(Math.round(arrangement.share * 1000) / 1000);
  const [first] = panes;
  return panes.length === 1 && typeof first === 'string' ? first : JSON.stringify(panes);
}

function writtenPane({ view, options, own }: PaneSettings): unknown {
  const changed = Object.entries(options).filter(
    ([name, value]) => value !== USUAL_OPTIONS[name as keyof PaneOptions],
  );
  if (changed.length === 0 && own === null) return view;
  const { space, unfolded: _, ...rest } = Object.fromEntries(changed);
  return {
    view,
    ...rest,
    ...(options.unfolded.length > 0 && { unfolded: options.unfolded.map(writtenUnfolded) }),
    ...(space !== undefined && { space: writtenSpace(options.space) }),
    ...(own && { own }),
  };
}

/** What a text says; what it says wrongly is the usual. */
export function readArrangement(text: string): Arrangement | null {
  const list = text.startsWith('[') ? parsed(text) : [text];
  if (!Array.isArray(list)) return null;
  const panes = list.map(readPane).filter((pane) => pane !== null);
  if (panes.length === 0) return null;
  const share: unknown = list.find((item) => typeof item === 'number');
  const arrangement = { panes: panes.slice(0, MOST_PANES), share: 0.5, active: 0 };
  return typeof share === 'number' ? withShare(arrangement, share) : arrangement;
}

/** What the panes of a text have that no pane has. */
export function unknownFields(text: string): readonly string[] {
  const list = text.startsWith('[') ? parsed(text) : [];
  const panes = Array.isArray(list) ? list.filter((item) => typeof item === 'object') : [];
  const known = ['view', 'own', ...Object.keys(USUAL_OPTIONS)];
  return panes.flatMap((pane) => Object.keys(record(pane)).filter((name) => !known.includes(name)));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readPane(item: unknown): PaneSettings | null {
  const fields: Record<string, unknown> = typeof item === 'string' ? { view: item } : record(item);
  const view = PANE_VIEWS.find((name) => name === fields['view']);
  return view === undefined
    ? null
    : { view, options: readOptions(fields), own: readOwn(fields['own']) };
}

function readOptions(fields: Record<string, unknown>): PaneOptions {
  const whole = (name: string) => {
    const value = fields[name];
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
  };
  const oneOf = <T extends string>(names: readonly T[], name: string) =>
    names.find((known) => known === fields[name]);
  const amount = (name: string, range: { least: number; usual: number; most: number }) => {
    const value = fields[name];
    return typeof value === 'number' ? clamp(value, range.least, range.most) : range.usual;
  };
  const list = <T>(name: string, isOne: (item: unknown) => item is T) => {
    const items = fields[name];
    return Array.isArray(items) && items.every(isOne) ? items : null;
  };
  const text = (name: string) => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const p = fields['p'];
  return {
    depth: whole('depth'),
    slices: clamp(whole('slices') ?? SLICES.usual, SLICES.least, SLICES.most),
    p: typeof p === 'number' && p >= 0 && p <= 1 ? p : null,
    idle: fields['idle'] === true,
    allValues: fields['allValues'] === true,
    quantity: text('quantity'),
    axis: oneOf(AXES, 'axis') ?? USUAL_OPTIONS.axis,
    areas: oneOf(AREAS, 'areas') ?? USUAL_OPTIONS.areas,
    thinnest: amount('thinnest', THINNEST),
    alone: whole('alone'),
    shown: list('shown', (item): item is number => Number.isSafeInteger(item)),
    agg: text('agg'),
    ratio: text('ratio'),
    metric: oneOf(METRICS, 'metric') ?? null,
    chart: text('chart') ?? USUAL_OPTIONS.chart,
    asked: readAsked(fields['asked']),
    length: oneOf(LENGTHS, 'length') ?? USUAL_OPTIONS.length,
    counted: oneOf(COUNTED, 'counted') ?? USUAL_OPTIONS.counted,
    phases: whole('phases') || null,
    communities: whole('communities') || null,
    collectives: oneOf(COLLECTIVES, 'collectives') ?? USUAL_OPTIONS.collectives,
    operation: text('operation'),
    tall: amount('tall', TALL),
    curve: oneOf(CURVES, 'curve') ?? USUAL_OPTIONS.curve,
    unfolded: readUnfolded(fields['unfolded']),
    wave: amount('wave', WAVE),
    bands: amount('bands', BANDS),
    against: readWindow(fields['against']),
    beside: fields['beside'] === true,
    useful: list('useful', (item): item is number => Number.isSafeInteger(item)),
    path: list('path', (item): item is string => typeof item === 'string'),
    layout: oneOf(LAYOUTS, 'layout') ?? USUAL_OPTIONS.layout,
    space: readSpace(fields['space']),
  };
}

/** The server says what it does not understand. */
function readAsked(item: unknown): PaneOptions['asked'] {
  const views = Object.entries(record(item)).map(([view, chosen]) => [view, record(chosen)]);
  return views.length === 0 ? USUAL_OPTIONS.asked : Object.fromEntries(views);
}

function readOwn(item: unknown): LockedView | null {
  const { window: text, lens } = record(item);
  const window = readWindow(text);
  if (window === null || record(lens)['version'] !== 1) return null;
  // The server says what is wrong with a lens that is none.
  return { window, lens: lens as Lens };
}

function readWindow(item: unknown): Window | null {
  const { from, to } = record(item);
  const isWindow =
    typeof from === 'number' &&
    typeof to === 'number' &&
    from >= 0 &&
    from < to &&
    Number.isFinite(to);
  return isWindow ? { from, to } : null;
}

function record(item: unknown): Record<string, unknown> {
  return typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {};
}
