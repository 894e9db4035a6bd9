// The rows of the legend: what the trace, the lens and the statistics say about each value, and
// about the types that have no values: variables, and links and events without names.

import type {
  LegendEntry,
  LensAnswer,
  Shape,
  StatisticsAnswer,
  TraceInfo,
  TypeInfo,
  ValueInfo,
} from '../../api/types';

export interface LegendRow {
  /** `null` for a type. */
  readonly value: ValueInfo | null;
  readonly type: TypeInfo;
  readonly name: string;
  readonly color: string;
  readonly shape: string;
  readonly seen: boolean;
  /** Of the time of all states of its type in the window; `null` where that makes no sense. */
  readonly share: number | null;
  /** Values: in the window, `null` while it is not known. Types: in the trace. */
  readonly count: number | null;
  /** What its place depends on: the time and the count that it had when it was last there. */
  readonly weight: { readonly ticks: number; readonly count: number };
}

/**
 * By type, since shares are those of a type: those of states first. Then the most time first, then by count. What is hidden
 * keeps the place that it had `before`: whoever clicks there twice means the same value.
 */
export function legendRows(
  trace: TraceInfo,
  lens: LensAnswer | null,
  statistics: StatisticsAnswer | null,
  before: readonly LegendRow[] = [],
): readonly LegendRow[] {
  const known = new Map(before.map((row) => [keyOf(row), row.weight]));
  const rows = [...valueRows(trace, lens, statistics), ...typeRows(trace, lens)].map((row) => ({
    ...row,
    // The numbers may tell that it is hidden before the lens does.
    weight: row.weight.count > 0 ? row.weight : (known.get(keyOf(row)) ?? row.weight),
  }));
  return rows.sort(
    (a, b) =>
      Number(b.type.nature === 'state') - Number(a.type.nature === 'state') ||
      a.type.id - b.type.id ||
      b.weight.ticks - a.weight.ticks ||
      b.weight.count - a.weight.count,
  );
}

const keyOf = ({ type, name }: LegendRow) => `${type.id} ${name}`;

function valueRows(
  trace: TraceInfo,
  lens: LensAnswer | null,
  statistics: StatisticsAnswer | null,
): readonly LegendRow[] {
  const key = (type: string, value: string) => `${type}\u0000${value}`;
  const types = new Map(trace.types.map((type) => [type.id, type]));
  const seen = new Map(lens?.values.map((entry) => [key(entry.type, entry.value), entry.seen]));
  const measured = new Map(
    statistics?.values.map((entry) => [key(entry.type, entry.value), entry]),
  );
  return trace.values.flatMap((value) => {
    const type = types.get(value.type);
    if (type === undefined) return [];
    const name = key(type.name, value.name);
    const measures = measured.get(name);
    return {
      value,
      type,
      name: value.name,
      color: value.color,
      shape: value.shape,
      seen: seen.get(name) ?? true,
      share: measures?.share ?? null,
      count: measures?.count ?? (statistics === null ? null : 0),
      weight: { ticks: Number(measures?.total_ticks ?? -1), count: measures?.count ?? 0 },
    };
  });
}

function typeRows(trace: TraceInfo, lens: LensAnswer | null): readonly LegendRow[] {
  const withValues = new Set(trace.values.map((value) => value.type));
  const looks = new Map(lens?.types?.map((entry) => [entry.type, entry]));
  return trace.types
    .filter((type) => type.nature !== 'container' && type.count > 0 && !withValues.has(type.id))
    .map((type) => {
      const look = looks.get(type.name);
      return {
        value: null,
        type,
        name: type.name,
        color: look?.color ?? type.color,
        shape: look?.shape ?? shapesFor(type.nature)[0] ?? '',
        seen: look?.seen ?? true,
        share: null,
        count: type.count,
        weight: { ticks: -1, count: type.count },
      };
    });
}

/**
 * What the picture shows besides values and types: numbers of derived states, and locks. Of these a trace
 * knows nothing; only the picture has their names and colours.
 */
export function markRows(trace: TraceInfo, legend: readonly LegendEntry[]): readonly LegendEntry[] {
  const known = new Set(trace.types.map((type) => type.name));
  return legend.filter(
    ({ value, share, name }) => value === null && share === null && !known.has(name),
  );
}

/** The shapes that make sense. */
export function shapesFor(nature: string): readonly Shape[] {
  switch (nature) {
    case 'event':
      return ['triangle', 'diamond', 'disc', 'box', 'line'];
    case 'link':
      return ['arrow', 'line'];
    case 'variable':
      return ['steps', 'area', 'line'];
    default:
      return ['box', 'line'];
  }
}
