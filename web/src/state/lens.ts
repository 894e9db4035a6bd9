// Changes of a lens: each takes a lens and gives another. docs/lens.md tells what the parts mean.

import type {
  EntryAppearance,
  Lens,
  LensFilter,
  LensGroup,
  LensOrder,
  LensReduction,
  LensTypesIn,
  TraceColors,
} from '../api/types';

export const CLEAR_LENS: Lens = { version: 1 };

export type Selectable = 'types' | 'values' | 'containers';

export function isClear(lens: Lens): boolean {
  return Object.keys(tidy(lens)).length === 1;
}

/** Without parts that say nothing, so that equal lenses are equal texts. */
export function tidy(lens: Lens): Lens {
  return { ...(prune(lens) as Partial<Lens>), version: 1 };
}

function prune(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value)
    .map(([name, inner]) => [name, prune(inner)] as const)
    .filter(([name, inner]) => !saysNothing(name, inner));
  return Object.fromEntries(kept);
}

/** An empty `only` says a lot: nothing is seen. */
function saysNothing(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (Array.isArray(value)) return value.length === 0 && name !== 'only';
  return typeof value === 'object' && Object.keys(value).length === 0;
}

export function filterOf(lens: Lens, what: Selectable): LensFilter {
  return lens.select?.[what] ?? {};
}

function withFilter(lens: Lens, what: Selectable, filter: LensFilter): Lens {
  return tidy({ ...lens, select: { ...lens.select, [what]: filter } });
}

export function showOnly(lens: Lens, what: Selectable, references: readonly string[]): Lens {
  return withFilter(lens, what, { only: [...references] });
}

export function hide(lens: Lens, what: Selectable, references: readonly string[]): Lens {
  const { only, hide: hidden = [] } = filterOf(lens, what);
  if (only !== undefined && references.every((reference) => only.includes(reference))) {
    return withFilter(lens, what, {
      only: only.filter((item) => !references.includes(item)),
      hide: hidden,
    });
  }
  const both = [...hidden, ...references.filter((reference) => !hidden.includes(reference))];
  return withFilter(lens, what, { ...(only && { only }), hide: both });
}

/** Takes back what hides these references by name; patterns that match them stay. */
export function show(lens: Lens, what: Selectable, references: readonly string[]): Lens {
  const { only, hide: hidden = [] } = filterOf(lens, what);
  const kept = hidden.filter((item) => !references.includes(item));
  const more = only && [...only, ...references.filter((reference) => !only.includes(reference))];
  return withFilter(lens, what, { ...(more && { only: more }), hide: kept });
}

export function showAll(lens: Lens, what: Selectable): Lens {
  return withFilter(lens, what, {});
}

/** Takes one pattern of a filter away; an `only` without patterns would show nothing, so it goes too. */
export function withoutPattern(
  lens: Lens,
  what: Selectable,
  list: 'only' | 'hide',
  pattern: string,
): Lens {
  const { [list]: patterns = [], ...other } = filterOf(lens, what);
  const rest = patterns.filter((item) => item !== pattern);
  return withFilter(lens, what, { ...other, ...(rest.length > 0 && { [list]: rest }) });
}

/** Shows some types only in some containers, or hides them there; what was said of these types before goes. */
export function withTypesIn(
  lens: Lens,
  types: readonly string[],
  how: { readonly only: readonly string[] } | { readonly hide: readonly string[] },
): Lens {
  const isOther = (rule: LensTypesIn) => !rule.types.some((type) => types.includes(type));
  const others = (lens.select?.types_in ?? []).filter(isOther);
  return tidy({ ...lens, select: { ...lens.select, types_in: [...others, { types, ...how }] } });
}

export function withoutTypesIn(lens: Lens, index: number): Lens {
  const rest = (lens.select?.types_in ?? []).filter((_, place) => place !== index);
  return tidy({ ...lens, select: { ...lens.select, types_in: rest } });
}

/** An entry in words: "PTP only in /node0/**". */
export function wordsOfTypesIn({ types, only, hide: hidden }: LensTypesIn): string {
  const places = only ?? hidden ?? [];
  return `${types.join(', ')} ${only === undefined ? 'not' : 'only'} in ${places.join(', ')}`;
}

export function withMinDuration(lens: Lens, text: string): Lens {
  const trimmed = text.trim();
  const { min_duration: _, ...select } = lens.select ?? {};
  return tidy({ ...lens, select: trimmed === '' ? select : { ...select, min_duration: trimmed } });
}

export function addGroup(lens: Lens, group: LensGroup): Lens {
  return tidy({ ...lens, group: [...(lens.group ?? []), group] });
}

export function removeGroup(lens: Lens, index: number): Lens {
  return tidy({ ...lens, group: (lens.group ?? []).filter((_, place) => place !== index) });
}

/** Groups of this name are taken away. */
export function ungroup(lens: Lens, name: string): Lens {
  const groups = (lens.group ?? []).filter(
    (group) => !('containers' in group) || group.containers.name !== name,
  );
  return tidy({ ...lens, group: groups });
}

/** A name for a new group that no group has yet. */
export function freshGroupName(lens: Lens, word = 'Group'): string {
  const taken = new Set(
    (lens.group ?? []).flatMap((group) => ('containers' in group ? [group.containers.name] : [])),
  );
  let number = 1;
  while (taken.has(`${word} ${number}`)) number += 1;
  return `${word} ${number}`;
}

/** A group for each of these sets of paths. One alone is no group. */
export function addGroups(lens: Lens, word: string, sets: readonly (readonly string[])[]): Lens {
  return sets
    .filter((paths) => paths.length > 1)
    .reduce((now, paths) => {
      const of = paths.map(containerReference);
      return addGroup(now, { containers: { name: freshGroupName(now, word), of } });
    }, lens);
}

export function describeGroup(group: LensGroup): string {
  if ('containers' in group) return `${group.containers.name}: ${group.containers.of.join(', ')}`;
  if ('level' in group) return `each ${group.level} as one`;
  if ('depth' in group) return `below depth ${group.depth} as one`;
  const { expression, within } = group.pattern;
  return within === undefined
    ? `by name: ${expression}`
    : `by name: ${expression} in each ${within}`;
}

export function withOrder(lens: Lens, order: LensOrder): Lens {
  return tidy({ ...lens, order });
}

/** Puts `moved` just before `before` among its siblings, all given in the order they have now. */
export function moveBefore(
  lens: Lens,
  siblings: readonly string[],
  moved: string,
  before: string | null,
): Lens {
  const others = siblings.filter((reference) => reference !== moved);
  const place = before === null ? others.length : others.indexOf(before);
  if (place < 0) return lens;
  const order = [...others.slice(0, place), moved, ...others.slice(place)];
  const elsewhere = (lens.order?.first ?? []).filter((reference) => !order.includes(reference));
  return tidy({
    ...lens,
    order: { by: 'creation', ...lens.order, first: [...elsewhere, ...order] },
  });
}

export function withReuse(lens: Lens, containerType: string, reuse: boolean): Lens {
  const others = (lens.reuse_rows ?? []).filter((name) => name !== containerType);
  return tidy({ ...lens, reuse_rows: reuse ? [...others, containerType] : others });
}

export function addReduction(lens: Lens, reduction: LensReduction): Lens {
  return tidy({ ...lens, reduce: [...(lens.reduce ?? []), reduction] });
}

export function removeReduction(lens: Lens, index: number): Lens {
  return tidy({ ...lens, reduce: (lens.reduce ?? []).filter((_, place) => place !== index) });
}

export function withAppearance(
  lens: Lens,
  what: 'types' | 'values',
  reference: string,
  look: EntryAppearance,
): Lens {
  const looks = lens.appearance?.[what] ?? {};
  const merged = { ...looks, [reference]: { ...looks[reference], ...look } };
  return tidy({ ...lens, appearance: { ...lens.appearance, [what]: merged } });
}

/** The lens that uses the colours of the trace or not; `auto` is what is done without a word. */
export function withTraceColors(lens: Lens, choice: TraceColors): Lens {
  return tidy({ ...lens, appearance: { ...lens.appearance, trace_colors: choice } });
}

/** The lens in which exactly these values are useful: others that would be count as overhead. */
export function withUseful(
  lens: Lens,
  values: readonly { readonly reference: string; readonly isUseful: boolean }[],
): Lens {
  const roles = values.map(({ reference, isUseful }) => [
    reference,
    isUseful ? 'compute' : 'runtime',
  ]);
  return tidy({ ...lens, roles: { ...lens.roles, ...Object.fromEntries(roles) } });
}

/** How a lens names a value: alone if that is clear, else with its type. */
export function valueReference(
  value: { readonly type: number; readonly name: string },
  all: readonly { readonly type: number; readonly name: string }[],
  typeName: (type: number) => string,
): string {
  const shared = all.some((other) => other.name === value.name && other.type !== value.type);
  return shared ? `${typeName(value.type)}:${value.name}` : value.name;
}

/** A pattern that means exactly this text. */
export function literalPattern(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&').replace(/^re:/, '\\re:');
}

/** How a lens names the container with this path. Characters of patterns are taken literally. */
export function containerReference(path: string): string {
  return path.replace(/[*?[\]]/g, '\\$&').replace(/\/re:/g, '/\\re:');
}

/** The container and everything below it. */
export function subtreeReference(path: string): string {
  return path === '/' ? '/**' : `${containerReference(path)}/**`;
}

/** The path of what lies above; a slash after a backslash belongs to a name. */
export function parentPath(path: string): string {
  return path.replace(/(?:\/(?:\\.|[^/\\])*)$/, '') || '/';
}
