import { expect, it } from 'vitest';
import { isInspectable, meaningOf, nodeOf, nodePick, phaseMarkOf, valuePick } from './picks';
import { sameRows, windowAround } from './view';

it('a window that shows something well stays', () => {
  const window = { from: 0, to: 1000 };
  expect(windowAround(100, 200, window)).toBe(window);
});

it('a window moves to what is outside and keeps its length', () => {
  expect(windowAround(5000, 5100, { from: 0, to: 1000 })).toEqual({ from: 4550, to: 5550 });
});

it('a window gets wider for what is longer', () => {
  expect(windowAround(0, 4000, { from: 0, to: 1000 })).toEqual({ from: -1000, to: 5000 });
});

it('values do not change the numbers of rows, groups do', () => {
  const plain = { version: 1 } as const;
  expect(sameRows(plain, { version: 1, select: { values: { hide: ['a'] } } })).toBe(true);
  expect(sameRows(plain, { version: 1, group: [{ depth: 1 }] })).toBe(false);
});

it('picks have the kind in their highest four bits', () => {
  expect(nodePick(7)).toBe((2n ** 61n + 7n).toString());
  expect(valuePick(7)).toBe((2n ** 61n + 2n ** 60n + 7n).toString());
  expect(nodeOf(nodePick(4294967295))).toBe(4294967295);
  expect(nodeOf(valuePick(3))).toBeNull();
});

it('picks of other views stand for rows and values', () => {
  const pick = (kind: bigint, first: bigint, second: bigint) =>
    ((kind << 60n) | (first << 32n) | second).toString();
  expect(meaningOf(nodePick(7))).toEqual({ nodes: [7], value: null });
  expect(meaningOf(valuePick(3))).toEqual({ nodes: [], value: 3 });
  expect(meaningOf(pick(4n, 3n, 7n))).toEqual({ nodes: [7], value: 3 });
  expect(meaningOf(pick(5n, 2n, 9n))).toEqual({ nodes: [2, 9], value: null });
  expect(meaningOf(pick(5n, 2n, 2n))).toEqual({ nodes: [2], value: null });
  expect(meaningOf(pick(1n, 2n, 9n))).toEqual({ nodes: [], value: null });
  expect(isInspectable(pick(4n, 3n, 7n))).toBe(true);
  expect(isInspectable(pick(6n, 0n, 7n))).toBe(false);
});

it('picks of phases, communities and flows are told apart', () => {
  const pick = (kind: bigint, phase: bigint, second: bigint) =>
    ((kind << 60n) | (phase << 32n) | second).toString();
  expect(phaseMarkOf(pick(7n, 5n, 0xffffffffn))).toEqual({ kind: 'phase', phase: 5 });
  expect(phaseMarkOf(pick(7n, 5n, 3n))).toEqual({ kind: 'community', phase: 5, place: 3 });
  const flow = { kind: 'flow', phase: 0xfffffff, from: 65535, to: 1 };
  expect(phaseMarkOf(pick(8n, 0xfffffffn, 0xffff0001n))).toEqual(flow);
  expect(phaseMarkOf(nodePick(3))).toBeNull();
  expect(isInspectable(pick(7n, 1n, 1n))).toBe(false);
});
