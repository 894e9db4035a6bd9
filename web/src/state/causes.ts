// Who waits for whom, and what the run time is made of, as marks in a timeline.

import type { TimelineQuestion } from '../api/types';

export type CauseMark = 'waits' | 'path';

export const CAUSE_MARKS: readonly CauseMark[] = ['waits', 'path'];

export const CAUSE_KEYS: Readonly<Record<CauseMark, string>> = { waits: 'X', path: 'C' };

export const CAUSE_TITLES: Readonly<Record<CauseMark, string>> = {
  waits: 'waits',
  path: 'critical path',
};

/** The marks as a question has them. */
export function asksCauses(
  causes: readonly CauseMark[],
): Pick<TimelineQuestion, 'waits' | 'critical_path'> {
  return {
    ...(causes.includes('waits') && { waits: true }),
    ...(causes.includes('path') && { critical_path: true }),
  };
}
