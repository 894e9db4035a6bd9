import { afterEach, describe, expect, it, vi } from 'vitest';
import { Client } from './client';
import { ApiError, isAbort } from './error';

function answering(...answers: readonly Response[]): { requests: [string, RequestInit][] } {
  const requests: [string, RequestInit][] = [];
  const left = [...answers];
  vi.stubGlobal('fetch', (path: string, request: RequestInit) => {
    requests.push([path, request]);
    const answer = left.shift();
    return answer ? Promise.resolve(answer) : Promise.reject(new TypeError('no network'));
  });
  return { requests };
}

const json = (body: unknown, status = 200, instance = '1') =>
  new Response(JSON.stringify(body), { status, headers: { 'X-Onca-Instance': instance } });

afterEach(() => vi.unstubAllGlobals());

describe('the client', () => {
  it('asks on the path of the trace, with a body of JSON', async () => {
    const { requests } = answering(json({ pick: '7' }));
    expect(await new Client().step('a/b', { pick: '3', step: 1 })).toBe('7');
    const [path, request] = requests[0];
    expect(path).toBe('/api/traces/a%2Fb/step');
    expect(request.method).toBe('POST');
    expect(JSON.parse(String(request.body))).toEqual({ pick: '3', step: 1 });
  });

  it('tells what the server says is wrong', async () => {
    answering(json({ schema: 'onca-error/1', code: 'lens', message: 'no value', id: null }, 422));
    const error = await new Client().info('t').catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'lens', message: 'no value', status: 422 });
  });

  it('asks a busy server again, unless nobody waits any more', async () => {
    const busy = () => json({ code: 'busy', message: 'later', id: null }, 503);
    const { requests } = answering(busy(), busy(), json({ pick: '7' }));
    expect(await new Client().step('t', { pick: '3', step: 1 })).toBe('7');
    expect(requests.length).toBe(3);
    const gone = new AbortController();
    answering(busy(), json({}));
    const asked = new Client().info('t', undefined, gone.signal).catch((error: unknown) => error);
    setTimeout(() => gone.abort(), 20);
    expect(isAbort(await asked)).toBe(true);
  });

  it('says when the server does not answer, or not as agreed', async () => {
    answering(new Response('<html>', { status: 500 }));
    await expect(new Client().session()).rejects.toMatchObject({ code: 'answer', status: 500 });
    await expect(new Client().session()).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('stops when another program has the port', async () => {
    const gone = vi.fn();
    const client = new Client(gone);
    answering(json({}), json({}), json({}, 200, '2'));
    await client.session();
    await client.session();
    expect(gone).not.toHaveBeenCalled();
    await expect(client.session()).rejects.toMatchObject({ code: 'instance' });
    expect(gone).toHaveBeenCalledOnce();
  });

  it('passes a request that was given up on as such', async () => {
    vi.stubGlobal('fetch', (_: string, request: RequestInit) =>
      Promise.reject(request.signal?.reason),
    );
    const abort = new AbortController();
    abort.abort();
    const error = await new Client().info('t', undefined, abort.signal).catch((e: unknown) => e);
    expect(isAbort(error)).toBe(true);
  });
});
