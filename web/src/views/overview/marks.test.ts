import { expect, it } from 'vitest';
import type { Scene } from '../../api/scene';
import { marksOf } from './marks';

const sceneWith = (...patterns: number[]) =>
  ({ layers: [{ kind: 'rects', pattern: Uint8Array.from(patterns) }] }) as unknown as Scene;

it('marks are those of the picture', () => {
  expect(marksOf(null)).toEqual({ diagonal: false, cross: false });
  expect(marksOf(sceneWith(0, 1))).toEqual({ diagonal: false, cross: false });
  expect(marksOf(sceneWith(0, 2))).toEqual({ diagonal: true, cross: false });
  expect(marksOf(sceneWith(3, 2))).toEqual({ diagonal: true, cross: true });
});
