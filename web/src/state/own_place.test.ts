import { expect, it, vi } from 'vitest';
import { OwnPlace } from './own_place';

it('goes back and forward as a window does', () => {
  const written = vi.fn();
  const place = new OwnPlace('a', written);
  const stepped = vi.fn();
  place.onStep(stepped);
  expect([place.fragment, place.kept]).toEqual(['a', null]);
  place.write('replaceState', 1, 'b');
  place.write('pushState', 2, 'c');
  place.write('pushState', 3, 'd');
  place.back();
  expect([place.fragment, place.kept]).toEqual(['c', 2]);
  expect(stepped).toHaveBeenLastCalledWith(2);
  // A changed step keeps the one after it; a new one does not.
  place.write('replaceState', 4, 'e');
  place.forward();
  expect(stepped).toHaveBeenLastCalledWith(3);
  place.back();
  place.write('pushState', 5, 'f');
  place.forward();
  expect(place.fragment).toBe('f');
  expect(written.mock.calls.flat()).toEqual(['b', 'c', 'd', 'c', 'e', 'd', 'e', 'f']);
});

it('stays at its ends', () => {
  const place = new OwnPlace('a');
  const stepped = vi.fn();
  place.onStep(stepped);
  place.back();
  place.forward();
  expect(stepped).not.toHaveBeenCalled();
  for (let step = 0; step < 1000; step += 1) place.write('pushState', step, `${step}`);
  expect(place.kept).toBe(999);
  for (let step = 0; step < 1000; step += 1) place.back();
  expect(place.kept).toBeGreaterThan(700);
});
