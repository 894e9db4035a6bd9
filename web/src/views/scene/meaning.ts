// What a view does otherwise than any scene does.

import type { Bounds, Scene } from '../../api/scene';
import type { Point } from '../../lib/geometry';
import type { Window } from '../../lib/window';
import type { Hit, HitTest } from '../../paint/hit';
import type { MotionOf } from './moving.svelte';

export interface Brush {
  /** What is marked. */
  marked(scene: Scene): Bounds | null;
  /** Within what a drag from here marks; `null` where it moves the picture. */
  room(scene: Scene, at: Point): Bounds | null;
  mark(scene: Scene, part: Bounds): void;
}

export interface SceneMeaning {
  /** A click on a mark, instead of selecting it. The window is that of the mark. */
  readonly pick?: (hit: Hit, window: Window | null) => void;
  readonly doublePick?: (hit: Hit) => void;
  /** A plain wheel, instead of zooming; 1 is deeper. */
  readonly level?: (step: -1 | 1) => void;
  /** A drag that marks a part of the picture instead of moving it; in the space of the scene. */
  readonly brush?: Brush;
  /** The boxes of what is selected, instead of those of the selected rows. */
  readonly selected?: (scene: Scene, hits: HitTest) => readonly Bounds[];
  /** Boxes that are outlined with the mark under the pointer. */
  readonly around?: (hit: Hit) => readonly Bounds[];
  /** More lines to say about it. */
  readonly more?: (hit: Hit) => readonly string[];
  /** How one scene becomes the next, instead of at once. */
  readonly motion?: MotionOf;
}
