// The way to the server: everything that the page asks goes through one of these.

import { ApiError } from './error';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Asked {
  readonly method: Method;
  /** JSON. */
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface Transport {
  /** The answer, whatever its status. Fails with `unreachable` if there is none. */
  ask(path: string, asked: Asked): Promise<Response>;
  /** Tells each message of a stream. Returns how to stop. */
  listen(path: string, onMessage: (text: string) => void): () => void;
}

/** To the server that the page came from. */
export const HTTP: Transport = {
  async ask(path, { body, ...asked }) {
    try {
      return await fetch(path, {
        ...asked,
        ...(body !== undefined && { body, headers: { 'Content-Type': 'application/json' } }),
        credentials: 'same-origin',
        redirect: 'error',
      });
    } catch (error) {
      if (asked.signal?.aborted) throw error;
      throw new ApiError('unreachable', 'onca does not answer. Is it still running?');
    }
  },

  listen(path, onMessage) {
    const events = new EventSource(path);
    events.onmessage = (event: MessageEvent<string>) => onMessage(event.data);
    return () => events.close();
  },
};
