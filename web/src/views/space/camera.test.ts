import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Camera } from '../../state/space';
import {
  between,
  orbited,
  PRESETS,
  panned,
  presetCamera,
  usualHeight,
  View,
  zoomedAt,
} from './camera';

const SIZE = { width: 900, height: 600 };
const HEIGHT = 1.2;

const cameras: fc.Arbitrary<Camera> = fc.record({
  azimuth: fc.double({ min: 0, max: 359, noNaN: true }),
  elevation: fc.double({ min: 5, max: 90, noNaN: true }),
  zoom: fc.double({ min: 0.5, max: 10, noNaN: true }),
  x: fc.double({ min: -1, max: 1, noNaN: true }),
  y: fc.double({ min: -1, max: 1, noNaN: true }),
  z: fc.double({ min: 0, max: 1, noNaN: true }),
});
const unit = fc.double({ min: -1, max: 1, noNaN: true });

describe('a camera', () => {
  it('sees the base from the front with x to the right and time upwards', () => {
    const view = new View(presetCamera('front', SIZE, HEIGHT), SIZE, HEIGHT);
    const left = view.project({ x: -1, y: 0.3, z: 0 });
    const right = view.project({ x: 1, y: -0.3, z: 0 });
    expect(right.x).toBeGreaterThan(left.x);
    expect(right.y).toBeCloseTo(left.y);
    expect(view.project({ x: -1, y: 0, z: HEIGHT }).y).toBeLessThan(left.y);
  });

  it('sees from the top what is far away above what is near', () => {
    const view = new View(presetCamera('top', SIZE, HEIGHT), SIZE, HEIGHT);
    expect(view.project({ x: 0, y: 1, z: 0 }).y).toBeLessThan(
      view.project({ x: 0, y: -1, z: 0 }).y,
    );
    expect(view.nearness({ x: 0, y: 0, z: 1 })).toBeGreaterThan(
      view.nearness({ x: 0, y: 0, z: 0 }),
    );
  });

  it('has the whole room in the picture from every preset', () => {
    for (const preset of PRESETS) {
      const height = usualHeight(SIZE);
      const view = new View(presetCamera(preset, SIZE, height), SIZE, height);
      for (const x of [-1, 1]) {
        for (const y of [-1, 1]) {
          for (const z of [0, height]) {
            const at = view.project({ x, y, z });
            expect(at.x).toBeGreaterThanOrEqual(-1e-6);
            expect(at.x).toBeLessThanOrEqual(SIZE.width + 1e-6);
            expect(at.y).toBeGreaterThanOrEqual(-1e-6);
            expect(at.y).toBeLessThanOrEqual(SIZE.height + 1e-6);
          }
        }
      }
    }
  });

  it('finds the place of the base that it shows somewhere', () => {
    fc.assert(
      fc.property(cameras, unit, unit, (camera, x, y) => {
        const view = new View(camera, SIZE, HEIGHT);
        const found = view.baseAt(view.project({ x, y, z: 0 }));
        expect(found?.x).toBeCloseTo(x, 6);
        expect(found?.y).toBeCloseTo(y, 6);
      }),
      { seed: 7 },
    );
  });

  it('gives the graphics card the same places', () => {
    fc.assert(
      fc.property(cameras, unit, unit, unit, (camera, x, y, z) => {
        const view = new View(camera, SIZE, HEIGHT);
        const m = view.matrix();
        const row = (r: number) =>
          (m[r] ?? 0) * x + (m[4 + r] ?? 0) * y + (m[8 + r] ?? 0) * z + (m[12 + r] ?? 0);
        const at = view.project({ x, y, z });
        expect(((row(0) + 1) / 2) * SIZE.width).toBeCloseTo(at.x, 4);
        expect(((1 - row(1)) / 2) * SIZE.height).toBeCloseTo(at.y, 4);
        expect(Math.abs(row(2))).toBeLessThanOrEqual(1);
      }),
      { seed: 7 },
    );
  });

  it('keeps what is under the pointer there while it goes nearer', () => {
    const view = new View(presetCamera('iso', SIZE, HEIGHT), SIZE, HEIGHT);
    const place = { x: 0.2, y: -0.1, z: 0 };
    const at = view.project(place);
    const after = new View(zoomedAt(view, 1.5, at), SIZE, HEIGHT).project(place);
    expect(after.x).toBeCloseTo(at.x, 3);
    expect(after.y).toBeCloseTo(at.y, 3);
  });

  it('moves the picture with a drag and never goes below the base', () => {
    const view = new View(presetCamera('iso', SIZE, HEIGHT), SIZE, HEIGHT);
    const moved = new View(panned(view, 10, -6), SIZE, HEIGHT);
    const [a, b] = [view.project({ x: 0, y: 0, z: 0 }), moved.project({ x: 0, y: 0, z: 0 })];
    expect(b.x - a.x).toBeCloseTo(10, 4);
    expect(b.y - a.y).toBeCloseTo(-6, 4);
    expect(orbited(view.camera, 0, -9000).elevation).toBe(0);
    expect(orbited(view.camera, 0, 9000).elevation).toBe(90);
  });

  it('turns along the shorter way and arrives', () => {
    const from = { azimuth: 350, elevation: 20, zoom: 1, x: 0, y: 0, z: 0.5 };
    const to = { ...from, azimuth: 10, elevation: 40 };
    expect(between(from, to, 0.5).azimuth % 360).toBeCloseTo(0);
    expect(between(from, to, 0).elevation).toBe(20);
    expect(between(from, to, 1)).toBe(to);
  });
});
