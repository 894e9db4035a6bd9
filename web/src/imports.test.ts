// The folders depend on each other in one direction only, as ARCHITECTURE.md says.

import { expect, it } from 'vitest';

const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  lib: ['lib'],
  api: ['lib', 'api'],
  state: ['lib', 'api', 'state'],
  paint: ['lib', 'api', 'paint'],
  widgets: ['lib', 'widgets'],
  views: ['lib', 'api', 'state', 'paint', 'widgets', 'views'],
};

const SOURCES = import.meta.glob<string>('./*/**/*.{ts,svelte}', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The folder below `src` that an import of a file leads to. */
function folderOf(file: string, imported: string): string {
  const { pathname } = new URL(imported, `file:///${file.replace('./', '')}`);
  return pathname.split('/')[1] ?? '';
}

function importsOf(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:from |import\()'(\.[^']*)'/g)].map((match) => match[1] ?? '');
}

it('finds the sources', () => {
  expect(Object.keys(SOURCES).length).toBeGreaterThan(50);
  expect(folderOf('./views/sql/place.ts', '../../state/found')).toBe('state');
});

it('no folder uses one that may use it', () => {
  const wrong = Object.entries(SOURCES).flatMap(([file, text]) => {
    const folder = file.split('/')[1] ?? '';
    const allowed = MAY_USE[folder] ?? [];
    return importsOf(text)
      .filter((imported) => !allowed.includes(folderOf(file, imported)))
      .map((imported) => `${file} imports ${imported}`);
  });
  expect(wrong).toEqual([]);
});
