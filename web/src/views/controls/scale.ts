// Which amounts of a scale have room beside each other.

import type { AxisMark } from '../../api/types';

/** The ends, and what is at least this share of the length away from all before it. */
export function marksApart(marks: readonly AxisMark[], least: number): readonly AxisMark[] {
  const [first, last] = [marks[0], marks.at(-1)];
  if (first === undefined || last === undefined || first === last) return marks;
  const kept = [first];
  for (const mark of marks.slice(1, -1)) {
    const before = kept.at(-1)?.at ?? 0;
    if (mark.at - before >= least && last.at - mark.at >= least) kept.push(mark);
  }
  return [...kept, last];
}
