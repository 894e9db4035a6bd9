// Which marks of areas that were drawn together a picture has.

import type { Scene } from '../../api/scene';

const DIAGONAL = 2;
const CROSS = 3;

export interface AreaMarks {
  /** The rows in an area are cut at the same times. */
  readonly diagonal: boolean;
  /** They are not. */
  readonly cross: boolean;
}

export function marksOf(scene: Pick<Scene, 'layers'> | null): AreaMarks {
  const rects = scene?.layers.filter((layer) => layer.kind === 'rects') ?? [];
  const has = (mark: number) => rects.some((layer) => layer.pattern.includes(mark));
  return { diagonal: has(DIAGONAL), cross: has(CROSS) };
}
