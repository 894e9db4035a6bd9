// What pointers and wheels do over a scene: the same as in the timeline, as far as it makes sense.

import type { Point, Size } from '../../lib/geometry';
import type { Hit } from '../../paint/hit';
import { wheelMeaning } from '../stage/gestures';
import { type OverTime, panBy, pinchTime, rangeDrag, zoomAt } from '../stage/over_time';
import type { Drag, Gestures, Pointing } from '../stage/pointer';
import { type Magnified, magnified, moved, pinchedPicture } from './place';

/** What gestures need to know of the picture, and what they can do with it. */
export interface SceneStage extends OverTime {
  readonly size: Size;
  readonly isOverTime: boolean;
  magnified: Magnified;
  /** What a plain wheel does instead of zooming. */
  readonly level: ((step: -1 | 1) => void) | undefined;
  /** What a drag does instead of moving the picture. */
  readonly brush: ((press: Pointing) => Drag) | undefined;
  hitAt(at: Point): Hit | null;
  point(pointing: Pointing | null): void;
  click(hit: Hit | null, adds: boolean): void;
  /** `share` tells where in the width. */
  doubleClick(hit: Hit | null, share: number): void;
  menu(hit: Hit | null, page: Point): void;
}

/** A wheel turns by so many pixels for a level. */
const LEVEL_PIXELS = 60;

export function sceneGestures(stage: SceneStage): Gestures {
  let turned = 0;
  /** Down is deeper. */
  const turn = (pixels: number) => {
    turned += pixels;
    if (Math.abs(turned) < LEVEL_PIXELS) return;
    stage.level?.(turned > 0 ? 1 : -1);
    turned = 0;
  };
  const move = (by: Point) => {
    if (stage.isOverTime) panBy(stage, -by.x);
    else stage.magnified = moved(stage.magnified, by.x, by.y, stage.size);
  };
  return {
    hover: (pointing) => stage.point(pointing),
    leave: () => stage.point(null),
    drag: (press) =>
      stage.brush?.(press) ??
      (stage.isOverTime ? rangeDrag(stage, press) : null) ?? { move: (_, by) => move(by) },
    pinch(before, after) {
      if (stage.isOverTime) pinchTime(stage, before, after);
      else stage.magnified = pinchedPicture(stage.magnified, before, after, stage.size);
    },
    wheel({ at }, event) {
      const meaning = wheelMeaning(event, stage.level !== undefined);
      if (meaning.kind === 'scroll') turn(meaning.pixels);
      else if (meaning.kind === 'pan') move({ x: -meaning.pixels, y: 0 });
      else if (stage.isOverTime) zoomAt(stage, meaning.factor, at.x);
      else stage.magnified = magnified(stage.magnified, 1 / meaning.factor, at, stage.size);
    },
    click: ({ at, shift }) => stage.click(stage.hitAt(at), shift),
    doubleClick: ({ at }) => stage.doubleClick(stage.hitAt(at), at.x / stage.width),
    menu: ({ at, page }) => stage.menu(stage.hitAt(at), page),
  };
}
