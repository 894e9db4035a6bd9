// Sending dropped files to the server, one after the other, and opening what they are.

import type { Client } from '../../api/client';
import { isAbort, messageOf } from '../../api/error';
import { dropFile, newDrop, openTrace, removeDrop } from '../../api/places';
import { byteSize } from '../../lib/number';

export class Sending {
  #sent = $state(0);
  #size = $state(0);
  #failure = $state<string | null>(null);
  #stop: AbortController | null = $state.raw(null);

  get isUnderWay(): boolean {
    return this.#stop !== null;
  }
  get sent(): number {
    return this.#sent;
  }
  get size(): number {
    return this.#size;
  }
  get failure(): string | null {
    return this.#failure;
  }

  cancel(): void {
    this.#stop?.abort();
  }

  /** Returns the trace that the files are; `null` if they were not taken. */
  async run(client: Client, files: readonly File[], room: number): Promise<string | null> {
    const size = files.reduce((sum, file) => sum + file.size, 0);
    this.#failure = size <= room ? null : tooLarge(size, room);
    if (this.#failure !== null || this.isUnderWay || files.length === 0) return null;
    const stop = new AbortController();
    [this.#stop, this.#sent, this.#size] = [stop, 0, size];
    const drop = newDrop();
    try {
      await this.#sendAll(drop, files, stop.signal);
      return await openTrace(client, { drop });
    } catch (error) {
      if (!isAbort(error)) this.#failure = messageOf(error);
      // What came of it is of no use alone; perhaps nothing came.
      await removeDrop(client, drop).catch(() => {});
      return null;
    } finally {
      this.#stop = null;
    }
  }

  async #sendAll(drop: string, files: readonly File[], signal: AbortSignal): Promise<void> {
    let before = 0;
    for (const file of files) {
      const sentBefore = before;
      await dropFile(drop, file, (bytes) => (this.#sent = sentBefore + bytes), signal);
      before += file.size;
    }
  }
}

function tooLarge(size: number, room: number): string {
  return `${byteSize(size)} are too many: dropped files may have ${byteSize(room)} more. Remove some below, or start onca view with a larger --upload-limit.`;
}
