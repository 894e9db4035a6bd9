import { expect, it } from 'vitest';
import type { Camera } from '../../state/space';
import { View } from './camera';
import { type Column, hiddenTest, hides } from './columns';

/** Numbers from 0 to 1, the same ones every time. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

it('columns in the stripe of a place hide it just when any column does', () => {
  const SIZE = { width: 300, height: 200 };
  const time = { scale: 1, shift: 0 };
  let [nHidden, nSeen] = [0, 0];
  for (let seed = 1; seed <= 40; seed += 1) {
    const roll = dice(seed);
    const n = 30;
    const spots = () => Float32Array.from({ length: n }, () => roll() * 2 - 1);
    const places = { x: spots(), y: spots() };
    const columns: Column[] = Array.from({ length: n }, (_, node) => {
      const low = roll() / 2;
      return { node, radius: 0.02 + roll() / 8, low, high: low + roll() / 2 };
    });
    const angles = { azimuth: roll() * 360, elevation: roll() * 90 };
    const camera: Camera = { ...angles, zoom: 0.5 + 3 * roll(), x: 0, y: 0, z: 0.3 };
    const view = new View(camera, SIZE, 1.2);
    const isHidden = hiddenTest(columns, places, view, time);
    for (let probe = 0; probe < 100; probe += 1) {
      const foot = view.baseAt({ x: roll() * SIZE.width, y: roll() * SIZE.height });
      if (foot === null) continue;
      const slow = columns.some((one) => hides(one, places, view, time, { ...foot, z: 0 }));
      expect(isHidden(foot)).toBe(slow);
      if (slow) nHidden += 1;
      else nSeen += 1;
    }
  }
  expect(Math.min(nHidden, nSeen)).toBeGreaterThan(200);
});
