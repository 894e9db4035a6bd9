// What the page begins with, in one answer.

import { parseExact } from './exact';
import { split, type TimelineScene, timelineOf } from './scene';
import type { MarksAnswer, Session, TimelineQuestion, TimeWindow, TraceInfo } from './types';

/** A scene that nobody had to ask for, with the question that it answers. */
export interface FirstScene {
  readonly trace: string;
  readonly question: TimelineQuestion & { readonly window: TimeWindow };
  readonly scene: TimelineScene;
}

export interface Start {
  readonly session: Session;
  /** Of the trace below. */
  readonly id: string;
  /** `null` while it is not ready. */
  readonly trace: { readonly info: TraceInfo; readonly marks: MarksAnswer } | null;
  readonly first: FirstScene | null;
}

type WireStart = Omit<Start, 'first'>;

/** The answer is JSON, or a scene whose header has the same in it. */
export async function readStart(answer: Response): Promise<Start> {
  const kind = answer.headers.get('Content-Type') ?? '';
  if (kind.startsWith('application/json')) {
    return { ...(parseExact(await answer.text()) as WireStart), first: null };
  }
  const [header, body] = split(await answer.arrayBuffer());
  const { start, question } = header as typeof header & {
    readonly start: WireStart;
    readonly question: FirstScene['question'];
  };
  return { ...start, first: { trace: start.id, question, scene: timelineOf(header, body) } };
}
