// Phases of communication.

import type { Question } from './basic';

/** A part of all messages: those of a phase, those inside of a community, or both. */
export interface MessagesPart {
  /** The sums of start and end, in ticks after the begin. */
  readonly within?: { readonly first: number; readonly last: number };
  readonly among?: readonly number[];
}

export interface PhasesQuestion extends Question {
  readonly depth?: number;
  readonly phases?: number;
  readonly communities?: number;
  /** Of the picture that the answer is for, which may have room for fewer phases. */
  readonly width?: number;
  readonly messages?: MessagesPart;
}

/** Phases and communities are known by their places. */
export interface FlowQuestion extends PhasesQuestion {
  readonly flow: {
    readonly phase: number;
    readonly from: number;
    readonly to: number;
    readonly limit: number;
  };
}

export interface PhaseFound {
  readonly pattern: string;
  readonly start: number;
  readonly end: number;
  readonly within: { readonly first: number; readonly last: number };
  readonly messages: number;
  readonly size: number;
  readonly idle: number;
  /** The places of processors. */
  readonly communities: readonly (readonly number[])[];
  readonly height: number;
  readonly difference_to_next: number | null;
}

export interface PhasesAnswer {
  readonly schema: string;
  readonly messages: { readonly count: number; readonly left_out: number };
  /** Their paths, and their nodes. */
  readonly processors: readonly string[];
  readonly nodes: readonly (number | null)[];
  readonly weight: 'size' | 'count';
  readonly most_phases: number;
  readonly suggestions: readonly { readonly phases: number; readonly contrast: number }[];
  readonly phases: readonly PhaseFound[];
  readonly repetition: {
    readonly phases: number;
    readonly patterns: readonly string[];
    /** In units of the trace. */
    readonly length: number | null;
    readonly iterations: readonly object[];
  } | null;
}

export interface FlowMessage {
  readonly pick: string | null;
  readonly operation: string | null;
  readonly from: string;
  readonly to: string;
  readonly from_node: number | null;
  readonly to_node: number | null;
  readonly start: number;
  readonly end: number;
  readonly size: number | null;
}

export interface FlowAnswer {
  readonly schema: string;
  readonly count: number;
  readonly size: number;
  readonly sizes: readonly [number, number] | null;
  readonly start: number;
  readonly end: number;
  readonly operations: readonly { readonly name: string; readonly count: number }[];
  readonly messages: readonly FlowMessage[];
}
