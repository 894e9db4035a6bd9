// How nested states and variables are drawn in the rows of a timeline.

import type { TimelineQuestion } from '../api/types';

export interface RowForm {
  /** How many depths of nested states are drawn; `null` for all. */
  readonly stateDepths: number | null;
  /** The variables of a row lie over each other, on one scale. */
  readonly overlay: boolean;
}

/** As a question has it. */
export function asksForm({
  stateDepths,
  overlay,
}: RowForm): Pick<TimelineQuestion, 'state_depths' | 'overlay'> {
  return {
    ...(stateDepths !== null && { state_depths: stateDepths }),
    ...(overlay && { overlay }),
  };
}
