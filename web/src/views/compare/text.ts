// Numbers of a comparison in words.

import type { CompareAnswer } from '../../api/types';
import { countOf, rounded } from '../../lib/number';

const PARTS = [
  ['work', 'work of the busiest'],
  ['rest', 'communication, waiting'],
  ['new', 'only after'],
  ['gone', 'only before'],
] as const;

/** How long a run is, in its own unit. */
export function lengthText(answer: CompareAnswer, which: 'before' | 'after'): string {
  const { from, to, unit } = answer[which];
  return `${rounded(to - from)} ${unit.name}`;
}

/** A difference in units of the comparison, with its sign. */
export function signed(answer: CompareAnswer, units: number): string {
  return `${units < 0 ? '−' : '+'}${rounded(Math.abs(units))} ${answer.unit.name}`;
}

/** A share with its sign, in percent. */
export function shareText(share: number): string {
  return `${share < 0 ? '−' : '+'}${(100 * Math.abs(share)).toFixed(1)} %`;
}

/** What the change is made of; what is nothing is not told. */
export function accountOf(
  answer: CompareAnswer,
): readonly { readonly name: string; readonly text: string }[] {
  const { account, unit } = answer;
  return PARTS.filter(([name]) => account[name] !== 0).map(([name, title]) => ({
    name: title,
    text: signed(answer, account[name] / Number(unit.ticks_per_unit)),
  }));
}

/** How the runs were laid side by side. */
export function pairedText({ align, matched, pairs }: CompareAnswer): string {
  const level = matched.level === null ? '' : `, means over each ${matched.level}`;
  const alone = matched.alone_before.length + matched.alone_after.length;
  const without = alone === 0 ? '' : `, ${countOf(alone, 'container')} without a counterpart`;
  const parts = `${countOf(pairs.length, 'part')} paired by ${align}`;
  return `${parts}; containers by ${matched.rule}${level}${without}.`;
}
