// Where a row of an answer lies, if it tells a time and a container.

import type { SqlCell } from '../../api/types';
import { parseTime, type TimeBase } from '../../lib/time';
import { showFound, ticksAfterBegin } from '../../state/found';
import { literalPattern } from '../../state/lens';
import type { Navigation } from '../../state/navigation.svelte';

interface NamedColumn {
  readonly name: string;
}

type Row = readonly SqlCell[];

export interface RowPlace {
  readonly start: number;
  readonly end: number;
  readonly container: string | null;
  /** The value, for finding the entity that begins there. */
  readonly value: string | null;
}

/** Ticks are exact and go first; times in units will do. */
const START = ['tick_start', 'tick', 't_start', 'time'];
const END = ['tick_end', 't_end'];

/** The time and the container of a row; `null` if it has no time. */
export function rowPlace(
  base: TimeBase,
  columns: readonly NamedColumn[],
  row: Row,
): RowPlace | null {
  const cell = (name: string) => row[columns.findIndex((column) => column.name === name)] ?? null;
  const time = (names: readonly string[]) => {
    const name = names.find((candidate) => cell(candidate) !== null);
    return name === undefined ? null : ticksOf(base, name, cell(name));
  };
  const start = time(START);
  if (start === null) return null;
  const text = (value: SqlCell) => (typeof value === 'string' ? value : null);
  return {
    start,
    end: time(END) ?? start,
    container: text(cell('container')) ?? text(cell('source')),
    value: text(cell('value')),
  };
}

function ticksOf(base: TimeBase, name: string, cell: SqlCell): number | null {
  if (typeof cell !== 'number' && typeof cell !== 'string') return null;
  return name.startsWith('tick') ? ticksAfterBegin(base, cell) : parseTime(base, String(cell));
}

/** Shows the row: the entity that begins there, else the time alone. */
export async function showRow(
  navigation: Navigation,
  base: TimeBase,
  columns: readonly NamedColumn[],
  row: Row,
): Promise<void> {
  const place = rowPlace(base, columns, row);
  if (place === null) {
    navigation.notices.done('This row has no time: no tick_start, tick, t_start or time.');
    return;
  }
  const found = await entityAt(navigation, base, place);
  if (found !== undefined) showFound(navigation, found);
  else navigation.showTime(place.start, place.end);
}

const MOST_CANDIDATES = 1000;

async function entityAt(navigation: Navigation, base: TimeBase, place: RowPlace) {
  const pattern = place.value ?? place.container;
  if (pattern === null) return undefined;
  const window = { from: place.start, to: place.start + 1 };
  const question = {
    pattern: literalPattern(pattern),
    window,
    lens: navigation.lens,
    limit: MOST_CANDIDATES,
  };
  const { found } = await navigation.session.client.find(navigation.session.traceId, question);
  const starts = found.filter(
    ({ start_ticks: ticks }) => ticks !== null && ticksAfterBegin(base, ticks) === place.start,
  );
  return starts.find(
    ({ container }) => place.container === null || container?.endsWith(`/${place.container}`),
  );
}
