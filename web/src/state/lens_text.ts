// A lens as a text for addresses: deflated and in base64url. A long one is kept by the server
// under its hash, and the address has only the hash.

import type { Lens } from '../api/types';
import { CLEAR_LENS, isClear } from './lens';

/** Longer texts are kept by the server: programs that pass addresses on cut what is longer. */
export const LONGEST_TEXT = 2048;

/** The server's shelf of lenses. */
export interface LensKeeper {
  keep(hash: string, lens: Lens): Promise<void>;
  fetch(hash: string): Promise<Lens>;
}

export async function packLens(lens: Lens, keeper: LensKeeper): Promise<string> {
  if (isClear(lens)) return '';
  const json = JSON.stringify(lens);
  const packed = `z.${base64url(await deflate(json))}`;
  // Hashing is only there where the browser trusts the connection; a long address still works.
  if (packed.length <= LONGEST_TEXT || globalThis.crypto?.subtle === undefined) return packed;
  const hash = await sha256(json);
  await keeper.keep(hash, lens);
  return `h.${hash}`;
}

export async function unpackLens(text: string, keeper: LensKeeper): Promise<Lens> {
  if (text === '') return CLEAR_LENS;
  const rest = text.slice(2);
  if (text.startsWith('z.')) return asLens(await inflate(bytesOf(rest)));
  if (/^h\.[0-9a-f]{64}$/.test(text)) return keeper.fetch(rest);
  throw new Error('the lens in the address cannot be read');
}

/** Whether all of it makes sense is for the server to say; it refuses fields it does not know. */
export function asLens(json: string): Lens {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || !('version' in value) || value.version !== 1) {
    throw new Error('this is no lens: a JSON object with "version": 1 is needed');
  }
  return value as Lens;
}

async function deflate(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return through(new CompressionStream('deflate-raw'), new TextEncoder().encode(text));
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new TextDecoder().decode(await through(new DecompressionStream('deflate-raw'), bytes));
}

async function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function base64url(bytes: Uint8Array): string {
  const plain = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return plain.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}
