import { expect, it } from 'vitest';
import { fakeRects, fakeScene, u32 } from '../../api/fake_scene';
import { boxesByPath, pathOf, pathsUp } from './ancestors';
import { depthWithin, levelAfter } from './levels';
import { firstFrame, isAtEnd, moved } from './play';

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

it('levels go from the root to the leaves and not beyond', () => {
  expect(levelAfter(null, -1, 5)).toBe(3);
  expect(levelAfter(3, 1, 5)).toBeNull();
  expect(levelAfter(null, 1, 5)).toBeNull();
  expect(levelAfter(0, -1, 5)).toBe(0);
  expect(levelAfter(9, -1, 3)).toBe(1);
  expect(depthWithin(4, 5)).toBe(4);
  expect(depthWithin(5, 5)).toBeNull();
});

it('a window moves through the trace until its end', () => {
  expect(firstFrame({ from: 0, to: 1000 }, 1000)).toEqual({ from: 0, to: 50 });
  const seen = { from: 100, to: 300 };
  expect(firstFrame(seen, 1000)).toBe(seen);
  expect(moved(seen, 0.5, 1000)).toEqual({ from: 200, to: 400 });
  expect(moved(seen, -5, 1000)).toEqual({ from: 0, to: 200 });
  expect(moved(seen, 50, 1000)).toEqual({ from: 800, to: 1000 });
  expect(isAtEnd({ from: 800, to: 1000 }, 1000)).toBe(true);
  expect(isAtEnd(seen, 1000)).toBe(false);
});
