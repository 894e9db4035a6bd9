// What pointers, wheels and keys do in a scene in space.

import type { Point } from '../../lib/geometry';
import { panned as pannedWindow, zoomed } from '../../lib/window';
import type { Camera } from '../../state/space';
import type { Viewpoint } from '../../state/viewpoint';
import type { Gestures, Pointing } from '../stage/pointer';
import { orbited, panned, type View, zoomedAt } from './camera';
import type { SpaceHit } from './hit';

/** What gestures need to know of the picture, and what they can do with it. */
export interface SpacePicture {
  readonly pane: Viewpoint;
  readonly view: View;
  setCamera(camera: Camera): void;
  hitAt(at: Point): SpaceHit | null;
  point(hit: SpaceHit | null): void;
  leave(): void;
  click(hit: SpaceHit | null, adds: boolean): void;
  doubleClick(): void;
  menu(hit: SpaceHit | null, page: Point): void;
  /** Takes this node, and those selected with it; the answer moves them on the base. */
  take(node: number): (way: Point) => void;
}

const WHEEL_FACTOR = 1.0015;
const KEY_PIXELS = 40;
const KEY_ZOOM = 1.15;

export function spaceGestures(picture: SpacePicture): Gestures {
  return {
    dragsWithAllButtons: true,
    hover: ({ at }) => picture.point(picture.hitAt(at)),
    leave: () => picture.leave(),
    drag(press) {
      if (press.button !== 0 || press.shift) {
        return { move: (_, by) => picture.setCamera(panned(picture.view, by.x, by.y)) };
      }
      return (
        nodesDrag(picture, press) ?? {
          move: (_, by) => picture.setCamera(orbited(picture.view.camera, by.x, by.y)),
        }
      );
    },
    pinch([a, b], [c, d]) {
      const [wasApart, apart] = [
        Math.hypot(a.x - b.x, a.y - b.y),
        Math.hypot(c.x - d.x, c.y - d.y),
      ];
      const middle = { x: (c.x + d.x) / 2, y: (c.y + d.y) / 2 };
      if (wasApart > 0) picture.setCamera(zoomedAt(picture.view, apart / wasApart, middle));
    },
    /** The wheel goes nearer and farther; with Alt it scales time, with Alt and Shift it moves it. */
    wheel({ at, alt, shift }, event) {
      // With Shift, browsers turn an upright wheel into one across.
      const turned = event.deltaY === 0 ? event.deltaX : event.deltaY;
      const factor = WHEEL_FACTOR ** -turned;
      if (!alt) {
        picture.setCamera(zoomedAt(picture.view, factor, at));
        return;
      }
      const { pane } = picture;
      const length = pane.session.whole.to;
      const window = shift
        ? pannedWindow(pane.window, -turned / 1000, length)
        : zoomed(pane.window, 1 / factor, 0.5, length);
      pane.setWindow(window, 'gesture');
    },
    click: ({ at, shift }) => picture.click(picture.hitAt(at), shift),
    doubleClick: () => picture.doubleClick(),
    menu: ({ at, page }) => picture.menu(picture.hitAt(at), page),
  };
}

/** A drag of a node itself moves it; with Ctrl also a drag of what stands on it. */
function nodesDrag(picture: SpacePicture, { at: begin, control }: Pointing) {
  const hit = picture.hitAt(begin);
  const moves = hit?.kind === 'nodes' || (control && hit?.kind === 'boxes');
  if (!moves || hit?.node == null || picture.view.baseAt(begin) === null) return null;
  const moveBy = picture.take(hit.node);
  return {
    move(at: Point) {
      const [from, to] = [picture.view.baseAt(begin), picture.view.baseAt(at)];
      if (from !== null && to !== null) moveBy({ x: to.x - from.x, y: to.y - from.y });
    },
  };
}

/** Flies with the keys; tells whether a key meant something. */
export function fly({ view, setCamera }: Pick<SpacePicture, 'view' | 'setCamera'>, key: string) {
  const way = WAYS[key.toLowerCase()];
  const middle = { x: view.size.width / 2, y: view.size.height / 2 };
  if (way !== undefined) setCamera(panned(view, way[0] * KEY_PIXELS, way[1] * KEY_PIXELS));
  else if (key === '+' || key === '=') setCamera(zoomedAt(view, KEY_ZOOM, middle));
  else if (key === '-') setCamera(zoomedAt(view, 1 / KEY_ZOOM, middle));
  else if (key === 'q') setCamera(orbited(view.camera, KEY_PIXELS, 0));
  else if (key === 'e') setCamera(orbited(view.camera, -KEY_PIXELS, 0));
  else return false;
  return true;
}

/** How the picture moves, across and down. */
const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  a: [1, 0],
  d: [-1, 0],
  w: [0, 1],
  s: [0, -1],
  arrowleft: [1, 0],
  arrowright: [-1, 0],
  arrowup: [0, 1],
  arrowdown: [0, -1],
};
