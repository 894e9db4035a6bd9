import { expect, it } from 'vitest';
import { ApiError } from '../../api/error';
import type { Scene } from '../../api/scene';
import { SceneAnswers, type SceneRequest } from './answers.svelte';

const BOUNDS = { x0: 0, y0: 0, x1: 1, y1: 1 };

function scene(ms: number): Scene {
  return {
    view: BOUNDS,
    window: null,
    exact: true,
    notes: [],
    ms,
    legend: [],
    plots: [],
    layers: [],
    texts: [],
  };
}

function asked(from: number, depth = 1): SceneRequest {
  const question = {
    window: { from, to: 100 },
    width: 10,
    height: 10,
    theme: 'light',
    depth,
  } as const;
  return { trace: 'run', view: 'treemap', question };
}

/** A server that answers when it is told to. */
class Slow {
  readonly asked: SceneRequest[] = [];
  readonly signals: AbortSignal[] = [];
  #finish: ((scene: Scene | Error) => void)[] = [];

  readonly ask = (asked: SceneRequest, signal: AbortSignal): Promise<Scene> => {
    this.asked.push(asked);
    this.signals.push(signal);
    return new Promise((resolve, reject) => {
      const fail = () => reject(new DOMException('aborted', 'AbortError'));
      signal.addEventListener('abort', fail);
      this.#finish.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
    });
  };

  async answer(place: number, answer: Scene | Error): Promise<void> {
    this.#finish[place]?.(answer);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

it('asks one question at a time while a window moves, and the newest next', async () => {
  const server = new Slow();
  const answers = new SceneAnswers(server.ask);
  answers.show(asked(1));
  answers.show(asked(2));
  answers.show(asked(3));
  expect(server.asked).toEqual([asked(1)]);
  await server.answer(0, scene(11));
  expect(answers.scene?.ms).toBe(11);
  expect(server.asked).toEqual([asked(1), asked(3)]);
  await server.answer(1, scene(33));
  expect(answers.scene?.ms).toBe(33);
  expect(answers.isWaiting).toBe(false);
});

it('takes a question back that is outdated', async () => {
  const server = new Slow();
  const answers = new SceneAnswers(server.ask);
  answers.show(asked(1, 1));
  answers.show(asked(1, 2));
  expect(server.signals[0]?.aborted).toBe(true);
  await server.answer(1, scene(2));
  await server.answer(1, scene(2));
  expect(server.asked).toEqual([asked(1, 1), asked(1, 2)]);
  expect(answers.scene?.ms).toBe(2);
  expect(answers.failure).toBeNull();
});

it('does not ask again what is shown', async () => {
  const server = new Slow();
  const answers = new SceneAnswers(server.ask);
  answers.show(asked(1));
  await server.answer(0, scene(1));
  answers.show(asked(1));
  expect(server.asked).toHaveLength(1);
});

it('tells a failure and keeps the last picture; the next answer ends it', async () => {
  const server = new Slow();
  const answers = new SceneAnswers(server.ask);
  answers.show(asked(1));
  await server.answer(0, scene(1));
  answers.show(asked(2));
  await server.answer(1, new Error('too much'));
  expect(answers.failure).toBe('too much');
  expect(answers.scene?.ms).toBe(1);
  answers.again();
  await server.answer(2, scene(2));
  expect(answers.failure).toBeNull();
  expect(answers.scene?.ms).toBe(2);
});

it('tells that there is nothing to see apart from other failures', async () => {
  const server = new Slow();
  const answers = new SceneAnswers(server.ask);
  answers.show(asked(1));
  await server.answer(0, new ApiError('nothing', 'there are no links', 422));
  expect(answers.failure).toBe('there are no links');
  expect(answers.isNothing).toBe(true);
  answers.show(asked(2));
  await server.answer(1, new Error('too much'));
  expect(answers.failure).toBe('too much');
  expect(answers.isNothing).toBe(false);
  answers.show(asked(3));
  await server.answer(2, scene(3));
  expect(answers.failure).toBeNull();
});

it('cancelling keeps the picture and asks nothing more', async () => {
  const server = new Slow();
  const answers = new SceneAnswers(server.ask);
  answers.show(asked(1));
  answers.show(asked(2));
  answers.cancel();
  await server.answer(0, scene(1));
  expect(server.asked).toHaveLength(1);
  expect(answers.isWaiting).toBe(false);
});
