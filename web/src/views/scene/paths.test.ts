import { expect, it } from 'vitest';
import { fakeRects, fakeScene, u32 } from '../../api/fake_scene';
import { boxesByPath, pathOf, pathsUp } from './paths';

it('titles begin with a path', () => {
  expect(pathOf('/a/b\ncomputing  66.7 %, 3.68 s')).toBe('/a/b');
  expect(pathOf('/a: 1,096 containers, 528 s, 100.0 % of all\nx  1.0 %')).toBe('/a');
  expect(pathOf('/a/b, parts of it\nx  1.0 %')).toBe('/a/b');
  expect(pathOf('/a itself\nx  1.0 %')).toBe('/a');
  expect(pathOf(null)).toBe('');
});

it('a path has all that lies around it', () => {
  expect(pathsUp('/a/b/c')).toEqual(['/a', '/a/b', '/a/b/c']);
  expect(pathsUp('/')).toEqual([]);
  expect(pathsUp('')).toEqual([]);
});

it('a container reaches around everything in it', () => {
  const rects = fakeRects([0, 0, 10, 5, 1], [10, 0, 20, 5, 2], [20, 0, 30, 5, 3]);
  const scene = fakeScene([{ ...rects, columns: { ...rects.columns, title: u32(1, 2, 3) } }], {
    texts: ['/a/b\nx', '/a/c\nx', '/d\nx'],
  });
  const boxes = boxesByPath(scene);
  expect(boxes.get('/a')).toEqual({ x0: 0, y0: 0, x1: 20, y1: 5 });
  expect(boxes.get('/a/c')).toEqual({ x0: 10, y0: 0, x1: 20, y1: 5 });
  expect([...boxes.keys()].sort()).toEqual(['/a', '/a/b', '/a/c', '/d']);
});
