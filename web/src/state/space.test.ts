import { expect, it } from 'vitest';
import { readSpace, showsEdges, USUAL_SPACE, writtenSpace } from './space';

it('a scene in space is written and read back', () => {
  const space = {
    ...USUAL_SPACE,
    base: 'topology',
    layout: 'radial',
    topology: 'grid.dot',
    edges: false,
    opacity: 0.5,
    camera: { azimuth: 12.5, elevation: 30, zoom: 2, x: 0.25, y: -0.5, z: 0.5 },
    pins: [
      ['site-1/rank 0', 0.125, -0.5],
      [':switch', 1, 0],
    ],
  } as const;
  expect(readSpace(JSON.parse(JSON.stringify(writtenSpace(space))))).toEqual(space);
  expect(writtenSpace(USUAL_SPACE)).toEqual({});
});

it('what is written wrongly is the usual', () => {
  expect(readSpace('round')).toEqual(USUAL_SPACE);
  expect(readSpace({ base: 'moon', opacity: 'much', camera: [1, 2], stretch: 99 })).toEqual({
    ...USUAL_SPACE,
    stretch: 4,
  });
  const pins = ['here', ['a', 1], ['b', 'x', 0], [1, 0, 0], ['c', 0.5, -9]];
  expect(readSpace({ pins }).pins).toEqual([['c', 0.5, -1]]);
  expect(readSpace({ camera: [0, 200, 1, 0, 0, 9] }).camera).toMatchObject({ elevation: 90, z: 1 });
});

it('edges are shown where they hide nothing, or where somebody wants them', () => {
  expect(showsEdges(USUAL_SPACE, 'graph')).toBe(true);
  expect(showsEdges(USUAL_SPACE, 'topology')).toBe(false);
  expect(showsEdges({ ...USUAL_SPACE, edges: true }, 'topology')).toBe(true);
});
