// Short messages that come and go: what failed, what was done.

import { isAbort, messageOf } from '../api/error';

export interface Notice {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
}

/** Failures stay longer: they have to be read. */
const STAY_MS = { done: 2500, failed: 8000 } as const;

export class Notices {
  #list = $state.raw<readonly Notice[]>([]);
  #nextId = 1;

  get list(): readonly Notice[] {
    return this.#list;
  }

  done(text: string): void {
    this.#add('done', text);
  }

  failed(error: unknown): void {
    // A question that was taken back is no failure.
    if (isAbort(error)) return;
    this.#add('failed', messageOf(error));
  }

  dismiss(id: number): void {
    this.#list = this.#list.filter((notice) => notice.id !== id);
  }

  #add(kind: Notice['kind'], text: string): void {
    const repeated = this.#list.find((notice) => notice.kind === kind && notice.text === text);
    if (repeated !== undefined) return;
    const id = this.#nextId++;
    this.#list = [...this.#list, { id, kind, text }];
    setTimeout(() => this.dismiss(id), STAY_MS[kind]);
  }
}
