// What pointers and wheels do over a scene: the same as in the timeline, as far as it makes sense.

import type { Point } from '../../lib/geometry';
import type { Hit } from '../../paint/hit';
import { wheelMeaning } from '../stage/gestures';
import { panBy, pinchTime, rangeDrag, zoomAt } from '../stage/over_time';
import type { Drag, Gestures, Pointing } from '../stage/pointer';
import type { Stage } from '../stage/stage.svelte';
import { type Magnified, magnified, moved, pinchedPicture } from './place';

/** What gestures need to know of the picture, and what they can do with it. */
export interface ScenePicture {
  readonly stage: Stage;
  readonly isOverTime: boolean;
  magnified: Magnified;
  /** What a plain wheel does instead of zooming. */
  readonly level: ((step: -1 | 1) => void) | undefined;
  /** What a drag does instead of moving the picture. */
  readonly brush: ((press: Pointing) => Drag | null) | undefined;
  hitAt(at: Point): Hit | null;
  click(hit: Hit | null, adds: boolean): void;
  doubleClick(hit: Hit | null, x: number): void;
  menu(hit: Hit | null, page: Point): void;
}

/** How far a wheel turns for a level. */
const LEVEL_PIXELS = 60;

export function sceneGestures(picture: ScenePicture): Gestures {
  let turned = 0;
  /** Down is deeper. */
  const turn = (pixels: number) => {
    turned += pixels;
    if (Math.abs(turned) < LEVEL_PIXELS) return;
    picture.level?.(turned > 0 ? 1 : -1);
    turned = 0;
  };
  const move = (by: Point) => {
    const { stage } = picture;
    if (picture.isOverTime) panBy(stage, -by.x);
    else picture.magnified = moved(picture.magnified, by.x, by.y, stage.size);
  };
  return {
    drag: (press) =>
      picture.brush?.(press) ??
      (picture.isOverTime ? rangeDrag(picture.stage, press) : null) ?? {
        move: (_, by) => move(by),
      },
    pinch(before, after) {
      const { stage } = picture;
      if (picture.isOverTime) pinchTime(stage, before, after);
      else picture.magnified = pinchedPicture(picture.magnified, before, after, stage.size);
    },
    wheel({ at }, event) {
      const { stage } = picture;
      const meaning = wheelMeaning(event, picture.level !== undefined);
      if (meaning.kind === 'scroll') turn(meaning.pixels);
      else if (meaning.kind === 'pan') move({ x: -meaning.pixels, y: 0 });
      else if (picture.isOverTime) zoomAt(stage, meaning.factor, at.x);
      else picture.magnified = magnified(picture.magnified, 1 / meaning.factor, at, stage.size);
    },
    click: ({ at, shift }) => picture.click(picture.hitAt(at), shift),
    doubleClick: ({ at }) => picture.doubleClick(picture.hitAt(at), at.x),
    menu: ({ at, page }) => picture.menu(picture.hitAt(at), page),
  };
}
