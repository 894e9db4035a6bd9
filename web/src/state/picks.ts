// Picks that the page makes itself: 4 bits of kind, 28 bits, 32 bits, as in docs/http-api.md.

import { PICK } from '../api/generated';

const KIND_SHIFT = BigInt(PICK.firstBits + PICK.secondBits);
const ENTITY = BigInt(PICK.entity);
const NODE = BigInt(PICK.node);
const VALUE = BigInt(PICK.value);
const SHARE = BigInt(PICK.share);
const PAIR = BigInt(PICK.pair);
const COMMUNITY = BigInt(PICK.community);
const FLOW = BigInt(PICK.flow);
const FIRST_SHIFT = BigInt(PICK.secondBits);
const FIRST_BITS = (1n << BigInt(PICK.firstBits)) - 1n;
const SECOND_BITS = (1n << BigInt(PICK.secondBits)) - 1n;
/** The place that stands for no community: the phase as a whole. */
const NO_PLACE = 0xffffffff;

export function nodePick(node: number): string {
  return ((NODE << KIND_SHIFT) | BigInt(node)).toString();
}

export function valuePick(value: number): string {
  return ((VALUE << KIND_SHIFT) | BigInt(value)).toString();
}

/** The node that a pick is, if it is one. */
export function nodeOf(pick: string): number | null {
  const bits = BigInt(pick);
  return bits >> KIND_SHIFT === NODE ? Number(bits & SECOND_BITS) : null;
}

/** The rows and the value that a pick stands for. */
export function meaningOf(pick: string): {
  readonly nodes: readonly number[];
  readonly value: number | null;
} {
  const bits = BigInt(pick);
  const first = Number((bits >> FIRST_SHIFT) & FIRST_BITS);
  const second = Number(bits & SECOND_BITS);
  switch (bits >> KIND_SHIFT) {
    case NODE:
      return { nodes: [second], value: null };
    case VALUE:
      return { nodes: [], value: second };
    case SHARE:
      return { nodes: [second], value: first };
    case PAIR:
      return { nodes: first === second ? [first] : [first, second], value: null };
    default:
      return { nodes: [], value: null };
  }
}

/** Something in a picture of phases, by places. */
export type PhaseMark =
  | { readonly kind: 'phase'; readonly phase: number }
  | { readonly kind: 'community'; readonly phase: number; readonly place: number }
  | { readonly kind: 'flow'; readonly phase: number; readonly from: number; readonly to: number };

export function phaseMarkOf(pick: string): PhaseMark | null {
  const bits = BigInt(pick);
  const phase = Number((bits >> FIRST_SHIFT) & FIRST_BITS);
  const second = Number(bits & SECOND_BITS);
  switch (bits >> KIND_SHIFT) {
    case COMMUNITY:
      return second === NO_PLACE
        ? { kind: 'phase', phase }
        : { kind: 'community', phase, place: second };
    case FLOW:
      return { kind: 'flow', phase, from: second >>> 16, to: second & 0xffff };
    default:
      return null;
  }
}

/** Does it stand for what one row sends to another? */
export function isPair(pick: string): boolean {
  return BigInt(pick) >> KIND_SHIFT === PAIR;
}

/** Is it a state, a link, an event or a variable of the trace? */
export function isEntity(pick: string): boolean {
  return BigInt(pick) >> KIND_SHIFT === ENTITY;
}

/** Can the server say something about it? Of pairs and areas only the picture knows. */
export function isInspectable(pick: string): boolean {
  const kind = BigInt(pick) >> KIND_SHIFT;
  return kind > 0n && kind <= SHARE;
}
