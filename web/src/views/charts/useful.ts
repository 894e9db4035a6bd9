// Which values count as useful time, and the curves that follow from it.

import { type Scene, titleOf } from '../../api/scene';
import type { ValueInfo } from '../../api/types';
import { cssColor } from '../../lib/color';

/** Roles of the work that a program is for. */
const USEFUL_ROLES: readonly (string | null)[] = ['compute', 'task'];

/** The ids of the useful values: those that were chosen, else those whose role says so. */
export function usefulOf(
  values: readonly ValueInfo[],
  chosen: readonly number[] | null,
): ReadonlySet<number> {
  if (chosen !== null) return new Set(chosen);
  return new Set(values.filter(({ role }) => USEFUL_ROLES.includes(role)).map(({ id }) => id));
}

/** The same with one value taken in or out. */
export function toggled(useful: ReadonlySet<number>, id: number): readonly number[] {
  const others = [...useful].filter((other) => other !== id);
  return (useful.has(id) ? others : [...others, id]).sort((a, b) => a - b);
}

/** The curves of a picture, the uppermost first. */
export function curvesOf(
  scene: Scene,
): readonly { readonly name: string; readonly color: string }[] {
  const colors = new Map<string, string>();
  for (const layer of scene.layers) {
    if (layer.kind !== 'lines') continue;
    for (let mark = layer.n - 1; mark >= 0; mark -= 1) {
      const name = titleOf(scene, layer, mark);
      if (name !== null) colors.set(name, cssColor(layer.color[mark]));
    }
  }
  return [...colors].map(([name, color]) => ({ name, color }));
}
