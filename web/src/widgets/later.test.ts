import type { Component } from 'svelte';
import { expect, it } from 'vitest';
import { Later, loadAhead } from './later.svelte';

const part = (() => ({})) as unknown as Component<never>;

it('loads a part once', async () => {
  let loads = 0;
  const later = new Later(async () => {
    loads += 1;
    return { default: part };
  });
  expect(later.part).toBeNull();
  await Promise.all([later.load(), later.load()]);
  await later.load();
  expect(later.part).toBe(part);
  expect(loads).toBe(1);
});

it('says that a part could not be loaded, and tries again', async () => {
  let loads = 0;
  const later = new Later(async () => {
    loads += 1;
    if (loads === 1) throw new TypeError('Failed to fetch');
    return { default: part };
  });
  await later.load();
  expect([later.part, later.hasFailed]).toEqual([null, true]);
  await later.load();
  expect([later.part, later.hasFailed]).toEqual([part, false]);
});

it('loads ahead one part after the other, whatever fails', async () => {
  const begun: string[] = [];
  const later = (name: string, isThere: boolean) =>
    new Later(async () => {
      begun.push(name);
      await Promise.resolve();
      expect(begun.at(-1)).toBe(name);
      if (!isThere) throw new TypeError('Failed to fetch');
      return { default: part };
    });
  const parts = [later('a', true), later('b', false), later('c', true)];
  loadAhead(parts);
  await expect.poll(() => parts.at(-1)?.part).toBe(part);
  expect(begun).toEqual(['a', 'b', 'c']);
});
