// What the page begins with, in one answer.

import { parseExact } from './exact';
import { split, type TimelineScene, timelineOf } from './scene';
import type { StartHeader, TimelineQuestion, TimeWindow, WireStart } from './types';

/** A scene that nobody had to ask for, with the question that it answers. */
export interface FirstScene {
  readonly trace: string;
  readonly question: TimelineQuestion & { readonly window: TimeWindow };
  readonly scene: TimelineScene;
}

export interface Start extends WireStart {
  readonly first: FirstScene | null;
}

/** The answer is JSON, or a scene whose header has the same in it. */
export async function readStart(answer: Response): Promise<Start> {
  const kind = answer.headers.get('Content-Type') ?? '';
  if (kind.startsWith('application/json')) {
    return { ...(parseExact(await answer.text()) as WireStart), first: null };
  }
  const [header, body] = split<StartHeader>(await answer.arrayBuffer());
  const { start, question } = header;
  return { ...start, first: { trace: start.id, question, scene: timelineOf(header, body) } };
}
