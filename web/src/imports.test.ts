// The folders depend on each other in one direction only, as ARCHITECTURE.md says.

import { expect, it } from 'vitest';

/** A folder may use itself and these, which stand above it. */
type Rules = Readonly<Record<string, readonly string[]>>;

const FOLDERS: Rules = {
  lib: [],
  api: ['lib'],
  state: ['lib', 'api'],
  paint: ['lib', 'api'],
  widgets: ['lib'],
  views: ['lib', 'api', 'state', 'paint', 'widgets'],
};

/** What a view in a pane is made of. */
const PARTS = ['stage', 'controls', 'scene'];

const VIEWS: Rules = {
  stage: [],
  controls: [],
  scene: ['stage'],
  timeline: ['stage'],
  overview: PARTS,
  treemap: PARTS,
  matrix: PARTS,
  charts: PARTS,
  flame: PARTS,
  phases: PARTS,
  graph: PARTS,
  space: ['stage', 'controls'],
  compare: PARTS,
  workspace: [
    ...['controls', 'timeline', 'overview', 'treemap', 'matrix', 'charts'],
    ...['flame', 'phases', 'graph', 'space', 'compare'],
  ],
  live: [],
  inspector: [],
  legend: [],
  statistics: [],
  containers: [],
  search: [],
  marks: [],
  source: ['search'],
  sql: [],
  problems: [],
  menu: [],
  palette: [],
  help: [],
  export: [],
  share: [],
  open: [],
  beside: [],
  frame: [
    ...['inspector', 'legend', 'statistics', 'containers', 'search', 'marks', 'source', 'sql'],
    ...['problems', 'menu', 'palette', 'help', 'export', 'share', 'open', 'live', 'beside'],
  ],
};

const SOURCES = import.meta.glob<string>('./*/**/*.{ts,svelte}', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** What a page does not have that stands in another one: README.md tells what there is instead. */
const OF_A_WINDOW =
  /(?:=|await|return) fetch\(|EventSource\(|XMLHttpRequest\(|localStorage|document\.cookie|\b(?:location|history)[.[]\w/;
const MAY_USE_THE_WINDOW = [
  // Opening other traces, which only a page with an address does.
  './api/places.ts',
  './api/transport.ts',
  './state/place.ts',
  './state/remembered.ts',
  './views/open/OpenDialog.svelte',
  // Loading the page again works everywhere.
  './views/timeline/TracePending.svelte',
];

/** The folders on the way to a file that another file imports. */
function wayTo(file: string, imported: string): readonly string[] {
  const { pathname } = new URL(imported, `file:///${file.replace('./', '')}`);
  return pathname.split('/').slice(1);
}

function importsOf(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:from |import\()'(\.[^']*)'/g)].map((match) => match[1] ?? '');
}

/** Imports between folders that lie so deep below `src`, against the rules. */
function against(rules: Rules, depth: number, isMeant: (file: string) => boolean): string[] {
  return Object.entries(SOURCES).flatMap(([file, text]) => {
    if (!isMeant(file)) return [];
    const folder = wayTo('', file)[depth] ?? '';
    const allowed = rules[folder];
    if (allowed === undefined) return [`${file} lies in a folder without a rule`];
    return importsOf(text)
      .filter((imported) => isMeant(`./${wayTo(file, imported).join('/')}`))
      .filter((imported) => {
        const target = wayTo(file, imported)[depth] ?? '';
        return target !== folder && !allowed.includes(target);
      })
      .map((imported) => `${file} imports ${imported}`);
  });
}

it('finds the sources', () => {
  expect(Object.keys(SOURCES).length).toBeGreaterThan(50);
  expect(wayTo('./views/sql/place.ts', '../../state/found')).toEqual(['state', 'found']);
});

it.each([FOLDERS, VIEWS])('no folder may use one that may use it', (rules) => {
  const names = Object.keys(rules);
  const wrong = names.flatMap((name, place) =>
    (rules[name] ?? []).filter((other) => !names.slice(0, place).includes(other)),
  );
  expect(wrong).toEqual([]);
});

it('folders use only what they may', () => {
  expect(against(FOLDERS, 0, () => true)).toEqual([]);
});

it('folders of views use only what they may', () => {
  expect(against(VIEWS, 1, (file) => file.startsWith('./views/'))).toEqual([]);
});

it('only few modules use what belongs to a window', () => {
  const users = Object.entries(SOURCES)
    .filter(([file, text]) => !file.endsWith('.test.ts') && OF_A_WINDOW.test(text))
    .map(([file]) => file);
  expect(users.sort()).toEqual(MAY_USE_THE_WINDOW);
});
