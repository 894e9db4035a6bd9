// What was unfolded of the phases of communication, one inside of the other, as it stands in an
// address.

import type { MessagesPart } from '../api/types';

/** A part of all messages that is shown on its own, with its own numbers of phases and communities. */
export interface Unfolded {
  readonly title: string;
  readonly part: MessagesPart;
  readonly phases: number | null;
  readonly communities: number | null;
}

/** As a list: an address holds many of them. */
export function writtenUnfolded({
  title,
  part,
  phases,
  communities,
}: Unfolded): readonly unknown[] {
  const { within, among } = part;
  return [title, within ? [within.first, within.last] : null, among ?? null, phases, communities];
}

/** What a list says; nothing if one of its parts makes no sense, as the inner ones need it. */
export function readUnfolded(item: unknown): readonly Unfolded[] {
  const parts = Array.isArray(item) ? item.map(readOne) : [];
  return parts.every((part) => part !== null) ? parts : [];
}

function readOne(item: unknown): Unfolded | null {
  if (!Array.isArray(item)) return null;
  const [title, within, among, phases, communities]: unknown[] = item;
  const ends = isWholes(within) && within.length === 2 ? within : null;
  const isPart = ends !== null || within === null;
  if (typeof title !== 'string' || !isPart || !(among === null || isWholes(among))) return null;
  const [first = 0, last = 0] = ends ?? [];
  return {
    title,
    part: { ...(ends && { within: { first, last } }), ...(among && { among }) },
    phases: isWhole(phases) && phases > 0 ? phases : null,
    communities: isWhole(communities) && communities > 0 ? communities : null,
  };
}

function isWhole(item: unknown): item is number {
  return typeof item === 'number' && Number.isSafeInteger(item) && item >= 0;
}

function isWholes(item: unknown): item is readonly number[] {
  return Array.isArray(item) && item.every(isWhole);
}
