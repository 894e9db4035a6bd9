// The loads of containers as comma-separated values, in exact ticks, for spreadsheets.

import type { ContainerRow } from '../../api/types';

const FIELDS = [
  'path',
  'name',
  'kind',
  'type',
  'value',
  'total_ticks',
  'total',
  'share',
  'count',
  'mean_ticks',
  'max_ticks',
  'imbalance_percent',
  'outlier',
] as const satisfies readonly (keyof ContainerRow)[];

export function containersCsv(rows: readonly ContainerRow[]): string {
  const lines = rows.map((row) => FIELDS.map((field) => cell(row[field])).join(','));
  return `${[FIELDS.join(','), ...lines].join('\r\n')}\r\n`;
}

/** A cell as RFC 4180 has it. */
function cell(content: string | number | null): string {
  const text = String(content ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** `▲ +33.3 %`: how far a time is from the mean; those far from most have a sign. */
export function imbalanceText({ imbalance_percent: above, outlier }: ContainerRow): string {
  if (above === null) return '';
  const sign = outlier === null ? '' : outlier === 'high' ? '▲ ' : '▼ ';
  const tenths = above.toFixed(1).replace('-', '−');
  return `${sign}${above > 0 ? '+' : ''}${tenths} %`;
}
