import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/error';
import { encodeScene } from '../../api/fake_scene';
import { decodeTimeline, type TimelineScene } from '../../api/scene';
import { VISIBLE } from './fake_visible';
import { requestFor, type TimelineRequest, type VisibleTimeline } from './question';
import { SceneSource } from './source';

const far: VisibleTimeline = { ...VISIBLE, window: { from: 800_000, to: 810_000 } };
const closer: VisibleTimeline = { ...VISIBLE, window: { from: 403_000, to: 409_000 } };

const scene: TimelineScene = decodeTimeline(
  encodeScene([], { window: { from: 0, to: 1 }, rows: [], height: 0 }),
);

interface Pending {
  readonly asked: TimelineRequest;
  readonly signal: AbortSignal;
  readonly answer: (scene: TimelineScene) => void;
  readonly fail: (error: unknown) => void;
}

function started(answered: TimelineRequest | null = null) {
  const pending: Pending[] = [];
  const events = { scene: vi.fn(), failed: vi.fn(), waiting: vi.fn() };
  const source = new SceneSource(
    (asked, signal) =>
      new Promise((answer, fail) => {
        pending.push({ asked, signal, answer, fail });
      }),
    events,
    answered,
  );
  return { pending, events, source };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('the source of pictures', () => {
  it('asks once for what does not change', async () => {
    const { pending, events, source } = started();
    source.show(VISIBLE);
    source.show({ ...VISIBLE });
    pending[0].answer(scene);
    await settled();
    source.show({ ...VISIBLE, window: { from: 401_000, to: 411_000 } });
    expect(pending).toHaveLength(1);
    expect(events.scene).toHaveBeenCalledOnce();
    expect(events.waiting.mock.calls).toEqual([[true], [false]]);
  });

  it('gives up what nobody waits for, and drops it when it comes late', async () => {
    const { pending, events, source } = started();
    source.show(VISIBLE);
    source.show(far);
    expect(pending[0].signal.aborted).toBe(true);
    pending[0].answer(scene);
    await settled();
    expect(events.scene).not.toHaveBeenCalled();
    pending[1].answer(scene);
    await settled();
    expect(events.scene).toHaveBeenCalledOnce();
  });

  it('shows a near picture first, and then asks for the right one', async () => {
    const { pending, events, source } = started();
    source.show(VISIBLE);
    source.show(closer);
    expect(pending).toHaveLength(1);
    pending[0].answer(scene);
    await settled();
    expect(events.scene).toHaveBeenCalledOnce();
    expect(pending).toHaveLength(2);
    expect(pending[1].asked.question.window.from).toBeGreaterThan(
      pending[0].asked.question.window.from,
    );
  });

  it('tells failures, and asks again when told to', async () => {
    const { pending, events, source } = started();
    source.show(VISIBLE);
    pending[0].fail(new ApiError('lens', 'no value'));
    await settled();
    expect(events.failed).toHaveBeenCalledOnce();
    source.again();
    expect(pending).toHaveLength(2);
  });

  it('asks again for the picture before a failure', async () => {
    const { pending, source } = started();
    source.show(VISIBLE);
    pending[0].answer(scene);
    await settled();
    source.show(far);
    pending[1].fail(new ApiError('question', 'nothing to show', 422));
    await settled();
    source.show(VISIBLE);
    expect(pending).toHaveLength(3);
  });

  it('tries again by itself when the server is busy', async () => {
    vi.useFakeTimers();
    const { pending, events, source } = started();
    source.show(VISIBLE);
    pending[0].fail(new ApiError('busy', 'too much to do'));
    await vi.advanceTimersByTimeAsync(1000);
    vi.useRealTimers();
    expect(events.failed).not.toHaveBeenCalled();
    expect(pending).toHaveLength(2);
  });

  it('takes an answer that is there already if it will do', async () => {
    const { question } = requestFor(VISIBLE);
    // Whoever wrote it had another order of fields.
    const reversed = Object.fromEntries(Object.entries(question).reverse());
    const answered = { trace: VISIBLE.trace, question: reversed as typeof question };
    const { pending, source } = started(answered);
    source.show(VISIBLE);
    expect(pending[0].asked).toBe(answered);
    pending[0].answer(scene);
    await settled();
    source.show({ ...VISIBLE });
    expect(pending).toHaveLength(1);
    source.show(far);
    source.show(VISIBLE);
    expect(pending.slice(1).map(({ asked }) => asked)).not.toContain(answered);
  });

  it('asks when the answer that is there shows something else', () => {
    const { pending, source } = started(requestFor({ ...VISIBLE, theme: 'dark' }));
    source.show(VISIBLE);
    expect(pending[0].asked).toEqual(requestFor(VISIBLE));
  });

  it('says nothing more once it is stopped', async () => {
    const { pending, events, source } = started();
    source.show(VISIBLE);
    source.stop();
    pending[0].answer(scene);
    await settled();
    expect(events.scene).not.toHaveBeenCalled();
  });
});
