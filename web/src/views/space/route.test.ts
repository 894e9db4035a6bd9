import { describe, expect, it } from 'vitest';
import { fakeSolid } from '../../api/fake_solid';
import type { Inspection } from '../../api/types';
import { Strokes } from './mesh';
import { placesOf } from './places';
import { addRoute, routeOf } from './route';

/** The only node of the network of the scene is host-1, at the place 2. */
const about = (nodes: readonly string[]): Inspection =>
  ({ start: 1250, end: 1500, route: { nodes } }) as unknown as Inspection;

describe('the way of a message', () => {
  const solid = fakeSolid();

  it('is found by the names of machines, not of containers', () => {
    expect(routeOf(solid, about(['host-1', 'host-1']))).toEqual({
      places: [2, 2],
      za: 0.25,
      zb: 0.5,
    });
    expect(routeOf(solid, about(['rank-0', 'host-1']))).toBeNull();
  });

  it('is none within a machine, or where nothing is known', () => {
    expect(routeOf(solid, about(['host-1']))).toBeNull();
    expect(routeOf(solid, about([]))).toBeNull();
    expect(routeOf(solid, null)).toBeNull();
  });

  it('is a line with a rim and a head on every link, and a way through time', () => {
    const strokes = new Strokes();
    const route = { places: [0, 2, 1], za: 0, zb: 1 };
    addRoute(strokes, { solid, places: placesOf(solid, []) }, route, 1, 2);
    // Two legs of rim, line and head; the message itself leaves out what is inside its nodes.
    expect(strokes.at.length / 3).toBeGreaterThanOrEqual(2 * (4 + 4 + 3) + 4);
  });
});
