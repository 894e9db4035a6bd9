// What is chosen of a comparison: which runs, how they are paired, which picture, and what of it.

import type { SessionTrace } from '../../api/types';
import type { Window } from '../../lib/window';
import type { ChosenOptions, PaneOptions } from '../../state/arrangement';

export const PICTURES = {
  'compare-timeline': 'Timelines',
  'compare-overview': 'Over time',
  'compare-treemap': 'Treemap',
  'compare-flame': 'Flame graph',
  'compare-matrix': 'Matrix',
  'compare-table': 'Table',
} as const;
export type Picture = keyof typeof PICTURES;
const PICTURE_NAMES = Object.keys(PICTURES) as readonly Picture[];

/** Pictures with the axis of both runs. */
export const OVER_AXIS: readonly Picture[] = ['compare-timeline', 'compare-overview'];

/** Pictures whose colours tell how much something changed. */
export const HAS_SCALE: readonly Picture[] = [
  'compare-overview',
  'compare-treemap',
  'compare-flame',
  'compare-matrix',
];

export const ALIGNMENTS = {
  auto: 'what fits',
  iterations: 'iterations',
  phases: 'phases',
  begin: 'their begin',
  end: 'their end',
  none: 'the clock',
} as const;

export interface ChosenComparison {
  /** The number of the other run; `null` for the first that there is. */
  readonly run: string | null;
  /** The later of two traces is the first run. */
  readonly swapped: boolean;
  readonly align: string;
  readonly depth: number | null;
  readonly picture: Picture;
  /** What is seen of the axis of both; `null` for all. */
  readonly part: Window | null;
}

/** The name under which a pane keeps it. */
const KEPT = 'compare';

export function chosenOf({ asked }: Pick<PaneOptions, 'asked'>): ChosenComparison {
  const { run, swapped, align, depth, picture, part } = asked[KEPT] ?? {};
  return {
    run: typeof run === 'string' ? run : null,
    swapped: swapped === true,
    align: typeof align === 'string' ? align : 'auto',
    depth: typeof depth === 'number' && Number.isSafeInteger(depth) && depth >= 0 ? depth : null,
    picture: PICTURE_NAMES.find((name) => name === picture) ?? 'compare-timeline',
    part: readPart(part),
  };
}

function readPart(item: unknown): Window | null {
  if (!Array.isArray(item)) return null;
  const [from, to]: unknown[] = item;
  const isPart =
    Number.isSafeInteger(from) && Number.isSafeInteger(to) && Number(from) < Number(to);
  return isPart && Number(from) >= 0 ? { from: Number(from), to: Number(to) } : null;
}

/** The options of a pane with another choice; what is usual takes no room in an address. */
export function withChosen(
  { asked }: Pick<PaneOptions, 'asked'>,
  chosen: ChosenComparison,
): Pick<PaneOptions, 'asked'> {
  const { part, ...rest } = chosen;
  const usual: ChosenOptions = { ...chosenOf({ asked: {} }) };
  const entries: [string, unknown][] = [
    ...Object.entries(rest),
    ['part', part && [part.from, part.to]],
  ];
  const changed = entries.filter(([name, value]) => value !== usual[name]);
  return { asked: { ...asked, [KEPT]: Object.fromEntries(changed) } };
}

export interface TwoRuns {
  readonly before: SessionTrace;
  readonly after: SessionTrace;
}

/** The runs that are compared: the open trace and another, in the order in which they were named. */
export function runsOf(
  traces: readonly SessionTrace[],
  open: string,
  { run, swapped }: Pick<ChosenComparison, 'run' | 'swapped'>,
): TwoRuns | null {
  const own = traces.find(({ id }) => id === open);
  const others = traces.filter(({ id }) => id !== open);
  const other = others.find(({ id }) => id === run) ?? others[0];
  if (own === undefined || other === undefined) return null;
  const isFirst = traces.indexOf(own) < traces.indexOf(other);
  return isFirst !== swapped ? { before: own, after: other } : { before: other, after: own };
}

/** A part of an axis as the server reads it, in shares of its length. */
export function partText({ from, to }: Window, length: number): string {
  return `${from / length}..${Math.min(to / length, 1)}`;
}
