import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { REST_MS, Steps } from './history';

/** A value with its steps; `log` is what the browser would keep. */
function recorder() {
  let value = 0;
  const log: number[] = [0];
  const steps = new Steps({
    push: () => void log.push(value),
    replace: () => void log.splice(-1, 1, value),
  });
  const set = (how: 'gesture' | 'jump' | 'quiet', to: number) =>
    steps.change(how, () => {
      value = to;
    });
  return { steps, log, set };
}

describe('steps', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are one for each jump', () => {
    const { log, set } = recorder();
    set('jump', 1);
    set('jump', 2);
    expect(log).toEqual([0, 1, 2]);
  });

  it('are one for a gesture when it rests', () => {
    const { log, set } = recorder();
    for (const to of [1, 2, 3]) {
      set('gesture', to);
      vi.advanceTimersByTime(REST_MS / 2);
    }
    expect(log).toEqual([0]);
    vi.advanceTimersByTime(REST_MS);
    expect(log).toEqual([0, 3]);
  });

  it('keep a gesture apart from the jump after it', () => {
    const { log, set } = recorder();
    set('gesture', 1);
    set('jump', 2);
    vi.advanceTimersByTime(REST_MS);
    expect(log).toEqual([0, 1, 2]);
  });

  it('are changed in place by quiet changes', () => {
    const { log, set } = recorder();
    set('jump', 1);
    set('quiet', 2);
    set('quiet', 3);
    expect(log).toEqual([0, 1]);
    vi.advanceTimersByTime(REST_MS);
    expect(log).toEqual([0, 3]);
  });

  it('take quiet changes of a gesture along', () => {
    const { log, set } = recorder();
    set('gesture', 1);
    set('quiet', 2);
    vi.advanceTimersByTime(REST_MS);
    expect(log).toEqual([0, 2]);
  });

  it('are gone when the view was replaced', () => {
    const { steps, log, set } = recorder();
    set('gesture', 1);
    steps.forget();
    vi.advanceTimersByTime(REST_MS);
    expect(log).toEqual([0]);
  });
});
