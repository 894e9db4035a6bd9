// What can go wrong with a request, as one type.

import type { ErrorCode as ServerCode } from './generated';

export type ErrorCode =
  | ServerCode
  /** The server cannot be reached. */
  | 'unreachable'
  /** Another program has the port. */
  | 'instance'
  /** The answer is not what the contract says. */
  | 'answer';

export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly status = 0,
    /** The number under which the server has printed a fault. */
    readonly id: string | null = null,
  ) {
    super(message);
  }
}

/** Was the request given up by the page itself? */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
