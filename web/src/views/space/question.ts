// What a scene in space is asked for.

import type { SolidQuestion } from '../../api/types';
import type { App } from '../../state/app.svelte';
import type { PaneOptions } from '../../state/workspace';

export interface AskedSolid {
  readonly trace: string;
  readonly question: SolidQuestion;
}

/** Heights are asked for in such steps, so that a splitter does not ask at every pixel. */
const HEIGHT_STEP = 100;

/** The part of the window that needs no other question: all but where the camera is. */
export function solidQuestion(
  app: Pick<App, 'window' | 'lens' | 'theme'>,
  { space, metric, depth }: PaneOptions,
  height: number,
): SolidQuestion {
  const hasCables = space.base === 'topology' || space.base === 'coords';
  return {
    window: app.window,
    lens: app.lens,
    theme: app.theme,
    height: Math.max(Math.ceil(height / HEIGHT_STEP), 1) * HEIGHT_STEP,
    events: space.events,
    variables: space.variables,
    ...(space.base !== null && { base: space.base }),
    ...(space.base === 'treemap' ? { sized_by: space.sizedBy } : { layout: space.layout }),
    ...(hasCables && { cables: space.cables }),
    ...(hasCables && space.topology !== null && { topology: space.topology }),
    ...(depth !== null && { depth }),
    ...((metric === 'bytes' || metric === 'count') && { metric }),
    ...(!space.arrows && { arrows: 0 }),
  };
}
