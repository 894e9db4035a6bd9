// Names beside bars. The bare picture has none; the titles of its marks do.

import { type Scene, titleOf } from '../../api/scene';

export interface SideName {
  readonly text: string;
  /** Along the side, in the space of the scene. */
  readonly at: number;
}

/** The rows of a bar chart, each once, at its middle. */
export function namesOfBars(scene: Scene): readonly SideName[] {
  const names = new Map<number, string>();
  for (const layer of scene.layers) {
    if (layer.kind !== 'rects') continue;
    for (let mark = 0; mark < layer.n; mark += 1) {
      const text = titleOf(scene, layer, mark)?.split('\n')[0];
      if (text !== undefined) names.set((layer.y0[mark] + layer.y1[mark]) / 2, text);
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
