// The way to the server for a page that stands in another one: messages to whoever holds the other
// end of a port. There is no address and no token; the bytes of answers are not compressed.

import { ApiError } from './error';
import type { Asked, Transport } from './transport';

/** What the page sends about requests. */
export type PortRequest =
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly method: string;
      readonly path: string;
      readonly body: ArrayBuffer | null;
    }
  /** Nobody waits for the answer any more. */
  | { readonly kind: 'cancel'; readonly id: number };

/** What comes back. A status of 0 says that nobody can be asked. */
export interface PortAnswer {
  readonly kind: 'answer';
  readonly id: number;
  readonly status: number;
  readonly type: string;
  readonly body: ArrayBuffer;
}

export function isPortAnswer(message: unknown): message is PortAnswer {
  return (message as PortAnswer | null)?.kind === 'answer';
}

/** How long until the state of the session is asked for again. */
const LOOK_MS = 200;

/** Answers that have no body, and must not be made with one. */
const EMPTY = [204, 205, 304];

export class PortTransport implements Transport {
  readonly #waiting = new Map<number, (answer: PortAnswer) => void>();
  readonly #send: (request: PortRequest) => void;
  #last = 0;

  /** What comes back is given to `answered`. */
  constructor(send: (request: PortRequest) => void) {
    this.#send = send;
  }

  ask(path: string, { method, body, signal }: Asked): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      this.#last += 1;
      const id = this.#last;
      const leave = () => {
        this.#waiting.delete(id);
        this.#send({ kind: 'cancel', id });
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.set(id, (answer) => {
        signal?.removeEventListener('abort', leave);
        if (answer.status === 0) reject(new ApiError('unreachable', UNREACHABLE));
        else resolve(responseOf(answer));
      });
      this.#send({
        kind: 'ask',
        id,
        method,
        path,
        body: body === undefined ? null : bytesOf(body),
      });
    });
  }

  /** There are no streams: the state is asked for again and again until nobody listens any more. */
  listen(_: string, onMessage: (text: string) => void): () => void {
    const stop = new AbortController();
    void this.#look(onMessage, stop.signal);
    return () => stop.abort();
  }

  async #look(onMessage: (text: string) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const answer = await this.ask('/api/session', { method: 'GET', signal });
        if (answer.ok) onMessage(await answer.text());
      } catch {
        // Whoever asks something else is told that nobody answers.
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** An answer has come. Those that nobody waits for are dropped. */
  answered(answer: PortAnswer): void {
    const resolve = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    resolve?.(answer);
  }
}

const UNREACHABLE = 'The kernel does not answer. Is it still running? Then run the cell again.';

function bytesOf(text: string): ArrayBuffer {
  return new TextEncoder().encode(text).buffer;
}

function responseOf({ status, type, body }: PortAnswer): Response {
  const headers = { 'Content-Type': type };
  return new Response(EMPTY.includes(status) ? null : body, { status, headers });
}
