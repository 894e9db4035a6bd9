// Which rows of a long list are in the page, and in which order.

interface Sortable<Row> {
  readonly name: string;
  readonly key?: (row: Row) => number | string;
}

/** Rows by a column; those that are equal stay in the order they came in. */
export function sortedRows<Row>(
  rows: readonly Row[],
  columns: readonly Sortable<Row>[],
  sorting: { readonly name: string; readonly descending: boolean } | null,
): readonly Row[] {
  const key = columns.find((column) => column.name === sorting?.name)?.key;
  if (key === undefined || sorting === null) return rows;
  const sign = sorting.descending ? -1 : 1;
  return [...rows].sort((a, b) => sign * compareKeys(key(a), key(b)));
}

/** Numbers by size, names with the numbers in them by size. */
export function compareKeys(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/** Some rows more than can be seen, so that scrolling finds them already there. */
const SPARE_ROWS = 8;

export function visibleRows(
  count: number,
  rowPx: number,
  scrollTop: number,
  height: number,
): { readonly from: number; readonly to: number } {
  const first = Math.floor(scrollTop / rowPx) - SPARE_ROWS;
  const last = Math.ceil((scrollTop + height) / rowPx) + SPARE_ROWS;
  return { from: Math.max(0, Math.min(first, count)), to: Math.max(0, Math.min(last, count)) };
}
