import { describe, expect, it } from 'vitest';
import type { Lens } from '../api/types';
import { CLEAR_LENS } from './lens';
import { asLens, LONGEST_TEXT, packLens, unpackLens } from './lens_text';

function shelf() {
  const kept = new Map<string, Lens>();
  return {
    kept,
    keep: async (hash: string, lens: Lens) => void kept.set(hash, lens),
    fetch: async (hash: string) => kept.get(hash) ?? CLEAR_LENS,
  };
}

/** A lens that does not get short by deflating: digits of a seeded generator. */
function longLens(): Lens {
  let state = 1;
  const next = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state.toString(36);
  };
  return { version: 1, select: { values: { hide: Array.from({ length: 900 }, next) } } };
}

describe('the text of a lens', () => {
  it('is nothing for the clear lens', async () => {
    expect(await packLens(CLEAR_LENS, shelf())).toBe('');
    expect(await unpackLens('', shelf())).toEqual(CLEAR_LENS);
  });

  it('gives a short lens back without the server', async () => {
    const lens: Lens = { version: 1, select: { values: { hide: ['Größe "x"', 'Idle'] } } };
    const server = shelf();
    const text = await packLens(lens, server);
    expect(text).toMatch(/^z\.[\w-]+$/);
    expect(server.kept.size).toBe(0);
    expect(await unpackLens(text, server)).toEqual(lens);
  });

  it('is a hash for a long lens', async () => {
    const server = shelf();
    const text = await packLens(longLens(), server);
    expect(text).toMatch(/^h\.[0-9a-f]{64}$/);
    expect(text.length).toBeLessThan(LONGEST_TEXT);
    expect(await unpackLens(text, server)).toEqual(longLens());
  });

  it('that means nothing is refused', async () => {
    await expect(unpackLens('q.abc', shelf())).rejects.toThrow('cannot be read');
    await expect(unpackLens('z.!!!', shelf())).rejects.toThrow();
    expect(() => asLens('{"version": 2}')).toThrow('no lens');
    expect(() => asLens('[1]')).toThrow('no lens');
  });
});
