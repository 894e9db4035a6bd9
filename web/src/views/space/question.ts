// What a scene in space is asked for.

import type { SolidBase, SolidQuestion } from '../../api/types';
import type { Size } from '../../lib/geometry';
import type { ShownPicture } from '../../state/desk.svelte';
import type { Pane } from '../../state/pane.svelte';
import { type Camera, type SpaceOptions, showsEdges } from '../../state/space';
import type { Theme } from '../../state/types';

export interface SolidRequest {
  readonly trace: string;
  readonly question: SolidQuestion;
}

/** Heights are asked for in such steps, so that a splitter does not ask at every pixel. */
const HEIGHT_STEP = 100;

/** The part of the window that needs no other question: all but where the camera is. */
export function solidQuestion(
  { window, lens, options }: Pick<Pane, 'window' | 'lens' | 'options'>,
  theme: Theme,
  height: number,
): SolidQuestion {
  const { space, metric, depth } = options;
  const hasCables = space.base === 'topology' || space.base === 'coords';
  return {
    window,
    lens,
    theme,
    height: Math.max(Math.ceil(height / HEIGHT_STEP), 1) * HEIGHT_STEP,
    events: space.events,
    variables: space.variables,
    ...(space.base !== null && { base: space.base }),
    ...(space.base !== 'treemap' && space.layout !== 'usual' && { layout: space.layout }),
    ...(space.sizedBy !== 'usual' && { sized_by: space.sizedBy }),
    ...(hasCables && { cables: space.cables }),
    ...(hasCables && space.topology !== null && { topology: space.topology }),
    ...(depth !== null && { depth }),
    ...((metric === 'bytes' || metric === 'count') && { metric }),
    ...(!space.arrows && { arrows: 0 }),
    ...(space.path && { critical_path: true }),
  };
}

/** The scene as a file, seen from where it is seen now; and its network, if it has one. `route` names
    the message whose way is drawn. */
export function filesOf(
  question: SolidQuestion,
  space: SpaceOptions,
  base: SolidBase,
  { azimuth, elevation }: Camera,
  { width, height }: Size,
  route?: string,
): readonly ShownPicture[] {
  const round = (degrees: number) => Math.round(degrees * 10) / 10;
  const camera = { azimuth: round(azimuth), elevation: round(elevation) };
  const asked = { ...question, base, width, height };
  const edges = showsEdges(space, base);
  const hasNetwork = base === 'topology' || base === 'coords';
  const way = hasNetwork && route !== undefined ? { route } : {};
  const scene: ShownPicture = { view: 'scene3d', question: { ...asked, camera, edges, ...way } };
  if (!hasNetwork) return [scene];
  const {
    events: _e,
    variables: _v,
    depth: _d,
    metric: _m,
    arrows: _a,
    critical_path: _c,
    layout,
    ...both
  } = question;
  const { base: _b, sized_by: _s, ...frame } = both;
  // Without a layout, nodes stand where the network says.
  const network = {
    ...frame,
    width,
    height,
    ...way,
    ...(base !== 'coords' && layout !== undefined && { layout }),
  };
  return [scene, { view: 'topology', question: network }];
}
