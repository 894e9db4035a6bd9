// Names beside bars and below bins. The bare pictures have none; the titles of their marks do.

import { type Scene, titleOf } from '../../api/scene';
import type { Window } from '../../lib/window';

export interface SideName {
  readonly text: string;
  /** Along the side, in the space of the scene. */
  readonly at: number;
}

/** The rows of a bar chart, each once, at its middle. */
export function namesOfBars(scene: Scene): readonly SideName[] {
  return sideNames(
    scene,
    (title) => title,
    ({ y0, y1 }) => (y0 + y1) / 2,
  );
}

/** The durations of the bins that a part of a histogram touches: it goes by powers of two. */
export function lastingIn(from: number, to: number): Window {
  const length = (power: number) => Math.max(Math.round(2 ** power), 0);
  return { from: length(Math.floor(from)), to: Math.max(length(Math.ceil(to)), 1) };
}

/** Where the bins of a histogram begin. */
export function beginsOfBins(scene: Scene): readonly SideName[] {
  return sideNames(
    scene,
    (title) => title.split(' to less than ')[0] ?? title,
    ({ x0 }) => x0,
  );
}

function sideNames(
  scene: Scene,
  textOf: (title: string) => string,
  placeOf: (box: { x0: number; y0: number; y1: number }) => number,
): readonly SideName[] {
  const names = new Map<number, string>();
  for (const layer of scene.layers) {
    if (layer.kind !== 'rects') continue;
    for (let mark = 0; mark < layer.n; mark += 1) {
      const title = titleOf(scene, layer, mark)?.split('\n')[0];
      if (title === undefined) continue;
      const [x0, y0, y1] = [layer.x0[mark], layer.y0[mark], layer.y1[mark]];
      names.set(placeOf({ x0, y0, y1 }), textOf(title));
    }
  }
  return [...names].map(([at, text]) => ({ at, text })).sort((a, b) => a.at - b.at);
}

/** Without those that would touch the one before. */
export function apart(names: readonly SideName[], room: number): readonly SideName[] {
  let last = -Infinity;
  return names.filter(({ at }) => {
    if (at - last < room) return false;
    last = at;
    return true;
  });
}
