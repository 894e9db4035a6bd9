// Marks: points in time with a name and a note.

import type { KeptMark } from '../api/types';
import { MARK_COLORS } from './address';
import type { Mark } from './types';

/** A mark with the first name that is free, and the next colour. */
export function newMark(time: number, marks: readonly Mark[], word = 'Mark'): Mark {
  const names = new Set(marks.map((mark) => mark.name));
  let number = 1;
  while (names.has(`${word} ${number}`)) number += 1;
  const color = MARK_COLORS[marks.length % MARK_COLORS.length] ?? MARK_COLORS[0];
  return { time, name: `${word} ${number}`, note: '', color };
}

/** The marks of an address and those beside the store; an address that was sent goes first. */
export function mergeMarks(
  addressed: readonly Mark[],
  saved: readonly KeptMark[],
): readonly Mark[] {
  const key = (mark: KeptMark) => `${mark.time} ${mark.name}`;
  const known = new Set(addressed.map(key));
  const more = saved
    .filter((mark) => !known.has(key(mark)))
    .map((mark) => ({ ...mark, color: mark.color ?? MARK_COLORS[0] }));
  return [...addressed, ...more].sort((a, b) => a.time - b.time);
}
