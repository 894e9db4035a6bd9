import { describe, expect, it, vi } from 'vitest';
import { Client } from './client';
import { isAbort } from './error';
import { type PortAnswer, type PortRequest, PortTransport } from './port';

const bytes = (text: string) => new TextEncoder().encode(text).buffer as ArrayBuffer;
const text = (body: ArrayBuffer | null) => new TextDecoder().decode(body ?? new ArrayBuffer(0));

function transport() {
  const sent: PortRequest[] = [];
  const made = new PortTransport((request) => sent.push(request));
  const answer = (id: number, body: string, part: Partial<PortAnswer> = {}) =>
    made.answered({
      kind: 'answer',
      id,
      status: 200,
      type: 'application/json',
      body: bytes(body),
      ...part,
    });
  return { made, sent, answer };
}

/** What was asked, as numbers and paths. */
const asked = (sent: readonly PortRequest[]) =>
  sent.map((one) => (one.kind === 'ask' ? `${one.id} ${one.path}` : `cancel ${one.id}`));

describe('a port to the server', () => {
  it('sends questions with bytes, and takes answers in any order', async () => {
    const { made, sent, answer } = transport();
    const client = new Client(() => {}, made);
    const step = client.step('1', { pick: '3', step: 1 });
    const session = client.session();
    expect(asked(sent)).toEqual(['1 /api/traces/1/step', '2 /api/session']);
    const [first] = sent;
    expect(first?.kind === 'ask' && JSON.parse(text(first.body))).toEqual({ pick: '3', step: 1 });
    answer(2, '{"version": "x"}');
    answer(1, '{"pick": "7"}');
    expect(await step).toBe('7');
    expect((await session).version).toBe('x');
  });

  it('gives bytes as they are, and answers without a body', async () => {
    const { made, answer } = transport();
    const [font, kept] = [
      made.ask('/font/a', { method: 'GET' }),
      made.ask('/b', { method: 'PUT', body: '{}' }),
    ];
    answer(1, 'ttf', { type: 'font/ttf' });
    answer(2, '', { status: 204 });
    expect(text(await (await font).arrayBuffer())).toBe('ttf');
    expect((await font).headers.get('Content-Type')).toBe('font/ttf');
    expect((await kept).status).toBe(204);
  });

  it('tells what is wrong, and that nobody can be asked', async () => {
    const { made, answer } = transport();
    const client = new Client(() => {}, made);
    const [wrong, nobody] = [client.info('1'), client.info('1')];
    answer(1, '{"code": "lens", "message": "no value", "id": null}', { status: 422 });
    answer(2, '', { status: 0 });
    await expect(wrong).rejects.toMatchObject({ code: 'lens', status: 422 });
    await expect(nobody).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('cancels what is given up, and drops its answer', async () => {
    const { made, sent, answer } = transport();
    const client = new Client(() => {}, made);
    const abort = new AbortController();
    const given = client.info('1', undefined, abort.signal).catch((error: unknown) => error);
    abort.abort();
    expect(isAbort(await given)).toBe(true);
    expect(asked(sent)).toEqual(['1 /api/traces/1/info', 'cancel 1']);
    answer(1, '{}');
    // What was given up before it was asked is not sent at all.
    const never = client.info('1', undefined, abort.signal).catch((error: unknown) => error);
    expect(isAbort(await never)).toBe(true);
    expect(sent).toHaveLength(2);
    // What was answered can be given up without a word.
    const late = new AbortController();
    const info = client.info('1', undefined, late.signal);
    answer(2, '{"name": "run"}');
    expect((await info).name).toBe('run');
    late.abort();
    expect(sent).toHaveLength(3);
  });

  it('looks at the session until the trace is ready, instead of a stream', async () => {
    vi.useFakeTimers();
    const { made, sent, answer } = transport();
    const client = new Client(() => {}, made);
    const told = vi.fn();
    client.watchProgress(told);
    answer(1, '{"traces": [{"id": "1", "status": "indexing"}]}');
    await vi.advanceTimersByTimeAsync(1000);
    expect(told).toHaveBeenCalledTimes(1);
    answer(2, '{"traces": [{"id": "1", "status": "ready"}]}');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(told).toHaveBeenCalledTimes(2);
    expect(asked(sent)).toEqual(['1 /api/session', '2 /api/session']);
    const stop = client.watchProgress(told);
    stop();
    answer(3, '{"traces": []}');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(told).toHaveBeenCalledTimes(2);
    expect(asked(sent).slice(2)).toEqual(['3 /api/session', 'cancel 3']);
    vi.useRealTimers();
  });
});
