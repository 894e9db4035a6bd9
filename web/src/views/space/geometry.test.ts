import { describe, expect, it } from 'vitest';
import { fakeSolid } from '../../api/fake_solid';
import {
  BOX_INDICES,
  BOX_VERTICES,
  baseMesh,
  boxMesh,
  fromBehind,
  ribbonMesh,
  strokeMesh,
} from './geometry';
import { keyOf, legsOf, legsOver, movedBy, placesOf } from './places';

const COLORS = { floor: 0xffffffff, axis: 0xff000000 };
const solid = fakeSolid();
const places = placesOf(solid, []);

describe('meshes', () => {
  it('have eight corners a box, at its node and its times', () => {
    const mesh = boxMesh(solid, places);
    expect(mesh.positions.length).toBe(3 * BOX_VERTICES * 3);
    expect(mesh.indices.length).toBe(3 * BOX_INDICES);
    const xs = [...mesh.positions].filter((_, at) => at % 3 === 0).slice(0, BOX_VERTICES);
    expect(Math.min(...xs)).toBeCloseTo(-0.6);
    expect(Math.max(...xs)).toBeCloseTo(-0.4);
    expect([...mesh.colors.slice(0, 4)]).toEqual([255, 0, 0, 255]);
  });

  it('turn every face of a box outwards', () => {
    const { positions, indices } = boxMesh(solid, places);
    const corner = (place: number) => [...positions.slice(place * 3, place * 3 + 3)];
    const middle = [-0.5, 0, 0.25];
    for (let at = 0; at < BOX_INDICES; at += 3) {
      const [a, b, c] = [...indices.slice(at, at + 3)].map(corner);
      const minus = (p: number[], q: number[]) => p.map((value, axis) => value - (q[axis] ?? 0));
      const [u, v] = [minus(b ?? [], a ?? []), minus(c ?? [], a ?? [])];
      const [ux = 0, uy = 0, uz = 0] = u;
      const [vx = 0, vy = 0, vz = 0] = v;
      const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
      const out = minus(a ?? [], middle);
      const along = normal.reduce((sum, value, axis) => sum + value * (out[axis] ?? 0), 0);
      expect(along).toBeGreaterThan(0);
    }
  });

  it('draw boxes from behind, each column from below', () => {
    expect(fromBehind(solid, places, { x: 1, y: 0 })).toEqual([2, 0, 1]);
    expect(fromBehind(solid, places, { x: -1, y: 0 })).toEqual([0, 1, 2]);
  });

  it('leave edges away where they are not wanted', () => {
    const withEdges = baseMesh(solid, places, COLORS, true);
    const without = baseMesh(solid, places, COLORS, false);
    expect(withEdges.positions.length - without.positions.length).toBe(4 * 3);
  });

  it('have a line and a head for each arrow, and steps for each variable', () => {
    const strokes = strokeMesh(solid, places);
    // Two arrows with heads, a variable of two steps with one riser, one event.
    expect(strokes.at.length / 3).toBe(2 * 7 + 3 * 4 + 4);
    expect(ribbonMesh(solid, places).positions.length / 3).toBe(2 * 4);
  });
});

describe('arrows', () => {
  it('go from side to side, and begin where the window begins', () => {
    const [whole] = legsOf(solid, places, 0);
    expect(whole?.from[0]).toBeCloseTo(-0.4);
    expect(whole?.to[0]).toBeCloseTo(0.4);
    const [cut] = legsOf(solid, places, 1);
    expect(cut?.from[2]).toBeCloseTo(0);
    expect(cut?.from[0]).toBeCloseTo(0);
    expect(cut?.ends).toBe(true);
  });
});

describe('ways over places', () => {
  // A corner: 1 to the right, then 3 away.
  const corner = { x: new Float32Array([0, 1, 1]), y: new Float32Array([0, 0, 3]) };
  const radius = new Float32Array([0, 0.5, 0]);

  it('are equally fast on every leg, and end with the last', () => {
    const legs = legsOver(radius, corner, [0, 1, 2], 0.2, 1);
    expect(legs.map(({ ends }) => ends)).toEqual([false, true]);
    expect(legs[0]?.to.map((at) => at.toFixed(3))).toEqual(['1.000', '0.000', '0.400']);
    expect(legs[1]?.to.map((at) => at.toFixed(3))).toEqual(['1.000', '3.000', '1.000']);
  });

  it('leave out what is before the window', () => {
    const legs = legsOver(radius, corner, [0, 1, 2], -1, 1);
    expect(legs).toHaveLength(1);
    expect(legs[0]?.from.map((at) => at.toFixed(3))).toEqual(['1.000', '1.000', '0.000']);
  });
});

describe('nodes that are moved', () => {
  it('take along what stands on them, and stay for other answers', () => {
    const pinned = movedBy([], solid, places, [2], { x: -0.1, y: 0.3 });
    const moved = placesOf(fakeSolid(), pinned);
    expect(moved.x[2]).toBeCloseTo(0.4);
    expect(moved.y[1]).toBeCloseTo(0.3);
    expect(moved.x[0]).toBeCloseTo(-0.5);
    expect(keyOf(solid, 2)).toBe(':host-1');
    expect(keyOf(solid, 0)).toBe('rank-0');
  });
});
