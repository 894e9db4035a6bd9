// Statistics as tab-separated text, in exact ticks, for spreadsheets.

import type { ValueStatistics } from '../../api/types';

const FIELDS = [
  'value',
  'type',
  'nature',
  'share',
  'total_ticks',
  'count',
  'min_ticks',
  'mean_ticks',
  'median_ticks',
  'p90_ticks',
  'p99_ticks',
  'max_ticks',
  'size',
] as const satisfies readonly (keyof ValueStatistics)[];

export function statisticsText(rows: readonly ValueStatistics[]): string {
  const lines = rows.map((row) => FIELDS.map((field) => row[field] ?? '').join('\t'));
  return [FIELDS.join('\t'), ...lines].join('\n');
}
