// What may be opened besides the traces that are open: folders that were allowed, dropped files.

import { type Client, errorFrom } from './client';
import { ApiError } from './error';
import type { FolderAnswer, OpenedAnswer, OpenQuestion, PlacesAnswer, Spot } from './types';

export function places(client: Client, signal?: AbortSignal): Promise<PlacesAnswer> {
  return client.json('GET', '/api/places', undefined, signal);
}

export function folder(client: Client, spot: Spot, signal?: AbortSignal): Promise<FolderAnswer> {
  const path = encodeURIComponent(spot.path);
  return client.json('GET', `/api/folder?folder=${spot.folder}&path=${path}`, undefined, signal);
}

/** Begins to open a trace; returns what requests call it. */
export async function openTrace(client: Client, asked: OpenQuestion): Promise<string> {
  return (await client.json<OpenedAnswer>('POST', '/api/open', asked)).id;
}

export async function removeDrop(client: Client, drop: string): Promise<void> {
  await client.send('DELETE', `/api/drops/${drop}`);
}

const DROP_BYTES = 8;

/** A name for files that are dropped together. */
export function newDrop(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(DROP_BYTES))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Sends a file, and tells how many bytes have gone. The other way to ask cannot tell that. */
export function dropFile(
  drop: string,
  file: File,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', `/api/drops/${drop}/${encodeURIComponent(file.name)}`);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      if (request.status < 300) resolve();
      else reject(errorFrom(request.status, request.responseText));
    };
    request.onerror = () => reject(new ApiError('unreachable', 'The file could not be sent.'));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}
