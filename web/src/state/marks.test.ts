import { expect, it } from 'vitest';
import { mergeMarks, newMark } from './marks';

const mark = (time: number, name: string, note = '') => ({ time, name, note, color: '#cc3366' });

it('a new mark has a name and a colour of its own', () => {
  const first = newMark(5, []);
  const second = newMark(9, [first]);
  expect([first.name, second.name]).toEqual(['Mark 1', 'Mark 2']);
  expect(first.color).not.toBe(second.color);
  expect(newMark(1, [second]).name).toBe('Mark 1');
});

it('marks of the address go before those beside the store', () => {
  const addressed = [mark(5, 'a', 'sent')];
  const saved = [mark(5, 'a', 'kept'), mark(2, 'b')];
  expect(mergeMarks(addressed, saved)).toEqual([mark(2, 'b'), mark(5, 'a', 'sent')]);
});

it('a mark that a script has kept without a colour gets one', () => {
  expect(mergeMarks([], [{ ...mark(2, 'b'), color: null }])).toEqual([mark(2, 'b')]);
});
