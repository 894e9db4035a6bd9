// What was unfolded, one inside of the other: phases into phases, communities into communities.

import type { FlowAnswer, MessagesPart, Middles, PhaseFound, PhasesAnswer } from '../../api/types';
import { byteSize, countOf, grouped } from '../../lib/number';
import type { PhaseMark } from '../../state/picks';
import type { Unfolded } from '../../state/unfolded';

const NAMED_OPERATIONS = 3;

export function membersOf(
  answer: PhasesAnswer,
  phase: number,
  place: number,
): { readonly nodes: readonly number[]; readonly paths: readonly string[] } {
  const processors = answer.phases[phase]?.communities[place] ?? [];
  return {
    nodes: processors.map((one) => answer.nodes[one] ?? null).filter((node) => node !== null),
    paths: processors.map((one) => answer.processors[one] ?? ''),
  };
}

/** The paths of all communities of a phase. */
export function communitiesOf(answer: PhasesAnswer, phase: number): readonly string[][] {
  const communities = answer.phases[phase]?.communities ?? [];
  return communities.map((_, place) => [...membersOf(answer, phase, place).paths]);
}

/** Messages at one instant are one phase, whatever is asked. */
export function canUnfold(
  phase: PhaseFound | undefined,
): phase is PhaseFound & { readonly within: Middles } {
  const within = phase?.within ?? null;
  return within !== null && within.first < within.last;
}

export function unfoldedPhase(
  answer: PhasesAnswer,
  phase: number,
  part: MessagesPart,
): Unfolded | null {
  const found = answer.phases[phase];
  if (!canUnfold(found)) return null;
  const title = `Phase ${phase + 1} (${found.pattern})`;
  return { title, part: { ...part, within: found.within }, phases: null, communities: null };
}

/** What goes on inside of a community during its phase. */
export function unfoldedCommunity(
  answer: PhasesAnswer,
  phase: number,
  place: number,
): Unfolded | null {
  const { nodes, paths } = membersOf(answer, phase, place);
  const found = answer.phases[phase];
  if (nodes.length < 2 || !found?.within) return null;
  const title = `${nameOf(paths)} in phase ${phase + 1}`;
  return {
    title,
    part: { within: found.within, among: nodes },
    phases: null,
    communities: null,
  };
}

/** What goes on among the members of both ends of a flow during its phase. */
export function unfoldedFlow(
  answer: PhasesAnswer,
  phase: number,
  from: number,
  to: number,
): Unfolded | null {
  if (from === to) return unfoldedCommunity(answer, phase, from);
  const ends = [membersOf(answer, phase, from), membersOf(answer, phase, to)];
  const among = ends.flatMap(({ nodes }) => nodes);
  const found = answer.phases[phase];
  if (among.length < 2 || !found?.within) return null;
  const [sender, receiver] = ends.map(({ paths }) => nameOf(paths));
  return {
    title: `${sender} → ${receiver} in phase ${phase + 1}`,
    part: { within: found.within, among },
    phases: null,
    communities: null,
  };
}

/** A community by its first member and how many more there are. */
export function nameOf(paths: readonly string[]): string {
  const [first = 'nobody', ...more] = paths;
  return more.length === 0 ? first : `${first} and ${grouped(more.length)} more`;
}

/** All communities with one of these nodes, as places of a picture. */
export function communitiesWith(
  answer: PhasesAnswer,
  nodes: readonly number[],
): ReadonlySet<string> {
  const wanted = new Set(nodes);
  const isWanted = (one: number) => wanted.has(answer.nodes[one] ?? -1);
  const found = answer.phases.flatMap(({ communities }, phase) =>
    communities.flatMap((members, place) => (members.some(isWanted) ? [`${phase}:${place}`] : [])),
  );
  return new Set(found);
}

/** What a flow is made of, in a few lines. */
export function flowLines(flow: FlowAnswer, when: (time: number) => string): readonly string[] {
  const { operations, sizes, count } = flow;
  const named = operations
    .slice(0, NAMED_OPERATIONS)
    .map((operation) => `${operation.name} × ${grouped(operation.count)}`);
  const more = operations.length - named.length;
  if (more > 0) named.push(`${grouped(more)} more`);
  const lines = [named.join(', ')];
  if (sizes !== null) lines.push(sizeText(sizes, flow.size, count));
  lines.push(`${when(flow.start)} – ${when(flow.end)}`);
  return lines.filter((line) => line !== '');
}

function sizeText([least, most]: readonly [number, number], sum: number, count: number): string {
  if (least === most) return `each ${byteSize(least)}`;
  return `${byteSize(least)} to ${byteSize(most)}, mean ${byteSize(sum / count)}`;
}

/** What is chosen, in a line. */
export function titleOf(answer: PhasesAnswer, mark: PhaseMark): string {
  const name = (place: number) => nameOf(membersOf(answer, mark.phase, place).paths);
  switch (mark.kind) {
    case 'phase':
      return `Phase ${mark.phase + 1}, pattern ${answer.phases[mark.phase]?.pattern ?? ''}`;
    case 'community':
      return name(mark.place);
    case 'flow':
      return `${name(mark.from)} → ${name(mark.to)}`;
  }
}

/** What there is, in a line. */
export function summaryOf(answer: PhasesAnswer): string {
  const patterns = new Set(answer.phases.map((phase) => phase.pattern)).size;
  const parts = [
    countOf(answer.messages.count, 'message'),
    countOf(answer.phases.length, 'phase'),
    countOf(patterns, 'pattern'),
  ];
  const { repetition } = answer;
  if (repetition !== null) {
    parts.push(`${repetition.iterations.length} iterations of ${repetition.patterns.join('')}`);
  }
  return parts.join(' · ');
}
