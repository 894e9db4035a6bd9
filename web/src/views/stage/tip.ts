// The title of a mark as lines: the server writes names and amounts with two spaces between.

import type { LegendEntry } from '../../api/types';

export interface TipLine {
  readonly name: string;
  readonly amount: string;
  readonly color: string | null;
}

export interface Tip {
  readonly title: string;
  readonly lines: readonly TipLine[];
}

export function tipOf(title: string | null, legend: readonly LegendEntry[]): Tip {
  const [first = '', ...rest] = (title ?? '').split('\n');
  const colors = new Map(legend.map((entry) => [entry.name, entry.color]));
  const lines = rest.map((text) => {
    // Names may have two spaces too; amounts never do.
    const end = text.lastIndexOf('  ');
    const name = end < 0 ? text : text.slice(0, end);
    const amount = end < 0 ? '' : text.slice(end + 2);
    return { name, amount, color: colors.get(name) ?? null };
  });
  return { title: first, lines };
}
