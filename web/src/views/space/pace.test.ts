import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isSoftwareName } from '../../paint/software';
import { type Camera, ZOOM } from '../../state/space';
import { View } from './camera';
import { Pace, REST_MS, SLOW_FRAMES, SLOW_MS } from './pace';

const STILL = { scale: 1, shift: 0 };
const SIZE = { width: 400, height: 300 };
const CAMERA: Camera = { azimuth: 0, elevation: 30, zoom: ZOOM.least, x: 0, y: 0, z: 0 };
const turned = (azimuth: number) => new View({ ...CAMERA, azimuth }, SIZE, 1);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the pace of a slow renderer', () => {
  it('is coarse while the scene turns, and fine at rest', () => {
    const onrest = vi.fn();
    const pace = new Pace(true, onrest);
    const view = turned(20);
    expect(pace.frame(turned(0), STILL)).toBe(false);
    expect(pace.frame(view, STILL)).toBe(true);
    vi.advanceTimersByTime(REST_MS - 1);
    // Something else has changed: the scene has not come to rest yet.
    expect(pace.frame(view, STILL)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(onrest).toHaveBeenCalledOnce();
    expect(pace.frame(view, STILL)).toBe(false);
  });

  it('is coarse while time moves', () => {
    const pace = new Pace(true, () => {});
    const view = turned(0);
    expect(pace.frame(view, STILL)).toBe(false);
    expect(pace.frame(view, { ...STILL })).toBe(false);
    expect(pace.frame(view, { scale: 1, shift: 0.1 })).toBe(true);
  });
});

it('slow frames in a row make a renderer slow, a few do not', () => {
  const pace = new Pace(false, () => {});
  pace.frame(turned(0), STILL);
  for (let frame = 1; frame < 3 * SLOW_FRAMES; frame += 1) {
    expect(pace.frame(turned(frame), STILL)).toBe(false);
    pace.took(frame % SLOW_FRAMES === 0 ? SLOW_MS : SLOW_MS + 1);
  }
  for (let frame = 0; frame < SLOW_FRAMES; frame += 1) pace.took(SLOW_MS + 1);
  expect(pace.frame(turned(0), STILL)).toBe(true);
});

it('renderers without a graphics card are known by name', () => {
  for (const name of [
    'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)',
    'llvmpipe (LLVM 15.0.6, 256 bits)',
    'ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11 vs_5_0 ps_5_0)',
    'Apple Software Renderer',
  ]) {
    expect(isSoftwareName(name), name).toBe(true);
  }
  for (const name of [
    'ANGLE (Intel, Mesa Intel(R) UHD Graphics 620, OpenGL 4.6)',
    'Apple M1',
    '',
  ]) {
    expect(isSoftwareName(name), name).toBe(false);
  }
});
