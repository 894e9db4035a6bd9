import { expect, it } from 'vitest';
import type { FlowAnswer, PhaseFound, PhasesAnswer } from '../../api/types';
import {
  communitiesOf,
  communitiesWith,
  flowLines,
  membersOf,
  nameOf,
  summaryOf,
  unfoldedCommunity,
  unfoldedFlow,
  unfoldedPhase,
} from './unfolded';

function phase(pattern: string, communities: number[][], first: number, last: number): PhaseFound {
  return {
    pattern,
    start: first / 2,
    end: last / 2,
    from: first / 2,
    to: last / 2,
    from_ticks: first / 2,
    to_ticks: last / 2,
    within: { first, last },
    messages: 4,
    size: 0,
    to_self: 0,
    collective: 0,
    idle: 0,
    modularity: null,
    communities,
    flows: [],
    height: 0,
    difference_to_next: null,
  };
}

const ANSWER: PhasesAnswer = {
  schema: 'onca-phases/1',
  unit: { name: 's', assumed: false, ticks_per_unit: 1 },
  window: { from: 0, to: 20, from_ticks: 0, to_ticks: 20 },
  scanned: true,
  messages: {
    count: 8,
    with_size: 0,
    size: 0,
    to_self: 0,
    collective: 0,
    left_out: 0,
    operations: 0,
    members_assumed: false,
    operations_left_out: false,
    functions: [],
  },
  processors: ['/a', '/b', '/c', '/d'],
  nodes: [10, 11, 12, 13],
  weight: 'count',
  linkage: 'midpoint',
  rounding: 0,
  rounding_ticks: 0,
  most_phases: 9,
  suggestions: [],
  phases: [
    phase(
      'A',
      [
        [0, 1],
        [2, 3],
      ],
      0,
      20,
    ),
    phase('B', [[0, 2], [1], [3]], 40, 40),
  ],
  repetition: null,
  too_many_phases: null,
};

it('members are nodes and paths', () => {
  expect(membersOf(ANSWER, 0, 1)).toEqual({ nodes: [12, 13], paths: ['/c', '/d'] });
  expect(membersOf(ANSWER, 7, 0)).toEqual({ nodes: [], paths: [] });
  expect(communitiesOf(ANSWER, 1)).toEqual([['/a', '/c'], ['/b'], ['/d']]);
});

it('a selection is found in every phase', () => {
  expect([...communitiesWith(ANSWER, [12])]).toEqual(['0:1', '1:0']);
  expect(communitiesWith(ANSWER, []).size).toBe(0);
});

it('a phase unfolds inside of what is unfolded already', () => {
  const unfolded = unfoldedPhase(ANSWER, 0, { among: [10, 11] });
  expect(unfolded?.part).toEqual({ among: [10, 11], within: { first: 0, last: 20 } });
  expect(unfolded?.title).toBe('Phase 1 (A)');
  // All its messages are at one instant.
  expect(unfoldedPhase(ANSWER, 1, {})).toBeNull();
  expect(unfoldedPhase(ANSWER, 2, {})).toBeNull();
});

it('a community unfolds if it has members to talk with each other', () => {
  const unfolded = unfoldedCommunity(ANSWER, 0, 1);
  expect(unfolded?.part).toEqual({ within: { first: 0, last: 20 }, among: [12, 13] });
  expect(unfolded?.title).toBe('/c and 1 more in phase 1');
  expect(unfoldedCommunity(ANSWER, 1, 1)).toBeNull();
});

it('a flow unfolds into what goes on among the members of both its ends', () => {
  expect(unfoldedFlow(ANSWER, 0, 1, 0)).toEqual({
    title: '/c and 1 more → /a and 1 more in phase 1',
    part: { within: { first: 0, last: 20 }, among: [12, 13, 10, 11] },
    phases: null,
    communities: null,
  });
  // From a community to itself it is the same as the community.
  expect(unfoldedFlow(ANSWER, 0, 1, 1)).toEqual(unfoldedCommunity(ANSWER, 0, 1));
  expect(unfoldedFlow(ANSWER, 9, 0, 1)).toBeNull();
});

it('names and sums are short', () => {
  expect(nameOf([])).toBe('nobody');
  expect(nameOf(['/a'])).toBe('/a');
  expect(summaryOf(ANSWER)).toBe('8 messages · 2 phases · 2 patterns');
});

it('a flow is told in a few lines', () => {
  const flow: FlowAnswer = {
    schema: 'onca-flow/1',
    count: 6,
    size: 6144,
    sizes: [512, 2048],
    start: 1,
    end: 9,
    operations: ['Send', 'Bcast', 'Put', 'Get'].map((name, value) => ({
      name,
      value,
      count: 1000,
    })),
    messages: [],
  };
  expect(flowLines(flow, String)).toEqual([
    'Send × 1,000, Bcast × 1,000, Put × 1,000, 1 more',
    '512 bytes to 2.0 KiB, mean 1.0 KiB',
    '1 – 9',
  ]);
  expect(flowLines({ ...flow, operations: [], sizes: null }, String)).toEqual(['1 – 9']);
});
