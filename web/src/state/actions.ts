// What can be done with things that were picked: rows and values are turned into the words of a
// lens. The server knows the names; the page knows only numbers.

import type { Inspection, TimelineRow, ValueInfo } from '../api/types';
import type { App } from './app.svelte';
import {
  addGroup,
  containerReference,
  freshGroupName,
  hide,
  literalPattern,
  moveBefore,
  parentPath,
  showOnly,
  subtreeReference,
  ungroup,
  valueReference,
  withOrder,
} from './lens';
import { isEntity, nodeOf, nodePick } from './picks';
import { ROW_HEIGHT } from './types';
import { valueNamed } from './values';

/** The paths of rows, without those that cannot be found any more. */
async function pathsOf(app: App, nodes: readonly number[]): Promise<readonly string[]> {
  const ask = (node: number) =>
    app.client.inspect(app.traceId, { pick: nodePick(node), lens: app.lens });
  const answers = await Promise.all(nodes.map(ask));
  return answers.map((answer) => answer.path).filter((path) => path !== null);
}

/** So many rows are looked up by their path. */
const MOST_SELECTED = 50;
const MOST_NAMESAKES = 1000;

/** Selects the rows of containers, by their paths; groups of a lens cannot be found by theirs. */
export function selectContainers(app: App, paths: readonly string[]): Promise<void> {
  return attempt(app, async () => {
    const find = async (path: string) => {
      const name = path.slice(parentPath(path).length).replace(/^\//, '').replace(/\\(.)/g, '$1');
      const { found } = await app.client.find(app.traceId, {
        pattern: literalPattern(name),
        kinds: ['container'],
        fields: ['containers'],
        limit: MOST_NAMESAKES,
        lens: app.lens,
      });
      return found.find(({ container }) => container === path)?.node ?? null;
    };
    const nodes = await Promise.all(paths.slice(0, MOST_SELECTED).map(find));
    app.select({ pick: null, value: null, nodes: nodes.filter((node) => node !== null) });
  });
}

/** Does something with the lens; a failure is told, not thrown. */
async function attempt(app: App, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    app.notices.failed(error);
  }
}

export function groupRows(app: App, nodes: readonly number[]): Promise<void> {
  return attempt(app, async () => {
    if (nodes.length === 0) {
      app.notices.failed('Select rows first: click their names, with Shift for several.');
      return;
    }
    const paths = await pathsOf(app, nodes);
    const name = freshGroupName(app.lens);
    await app.setLens(
      addGroup(app.lens, { containers: { name, of: paths.map(containerReference) } }),
    );
  });
}

export function ungroupRow(app: App, name: string): Promise<boolean> {
  return app.setLens(ungroup(app.lens, name));
}

export function hideRows(app: App, nodes: readonly number[]): Promise<void> {
  return attempt(app, async () => {
    const paths = await pathsOf(app, nodes);
    await app.setLens(hide(app.lens, 'containers', paths.map(subtreeReference)));
  });
}

export function showOnlyRows(app: App, nodes: readonly number[]): Promise<void> {
  return attempt(app, async () => {
    const paths = await pathsOf(app, nodes);
    await app.setLens(showOnly(app.lens, 'containers', paths.map(subtreeReference)));
  });
}

/** Hides the value of the selected entity, else the selected rows. */
export function hideSelection(app: App): Promise<void> {
  return attempt(app, async () => {
    const { nodes, pick } = app.selection;
    if (pick === null || nodeOf(pick) !== null) {
      if (nodes.length === 0) throw new Error('Select what is to be hidden first.');
      return hideRows(app, nodes);
    }
    const about = await app.client.inspect(app.traceId, { pick, lens: app.lens });
    const value = inspectedValue(app, about);
    if (value === undefined) throw new Error('This has no value that could be hidden.');
    await app.setLens(hide(app.lens, 'values', [referenceOf(app, value)]));
  });
}

/** Puts a row beside another one of the same parent. */
export function moveRow(
  app: App,
  moved: number,
  beside: number,
  side: 'before' | 'after',
): Promise<void> {
  return attempt(app, async () => {
    const rows = await allRows(app);
    const pathOf = (node: number) => rows.find((row) => row.nodes.includes(node))?.path;
    const [from, to] = [pathOf(moved), pathOf(beside)];
    if (from === undefined || to === undefined || from === to) return;
    const siblings = rows
      .filter((row) => row.state !== 'merged' && parentPath(row.path) === parentPath(to))
      .map((row) => containerReference(row.path));
    const reference = containerReference(from);
    const others = siblings.filter((sibling) => sibling !== reference);
    const place = others.indexOf(containerReference(to)) + (side === 'after' ? 1 : 0);
    await app.setLens(moveBefore(app.lens, siblings, reference, others[place] ?? null));
  });
}

/** Scrolls so that a row can be seen. */
export function scrollToRow(app: App, node: number): Promise<void> {
  return attempt(app, async () => {
    if (app.rowHeight === 'fit') return;
    const row = (await allRows(app, app.rowHeight)).find(({ nodes }) => nodes.includes(node));
    if (row === undefined) return;
    const { plotHeight } = app.desk;
    const isSeen = row.y0 >= app.scrollY && row.y1 <= app.scrollY + plotHeight;
    if (!isSeen) app.setScrollY((row.y0 + row.y1 - plotHeight) / 2);
  });
}

/** Every row, whether it can be seen or not: pictures of one column are enough to learn them. */
async function allRows(
  app: App,
  height: number = ROW_HEIGHT.least,
): Promise<readonly TimelineRow[]> {
  // The open groups above the asked pixels come with each part, so rows are told apart by node.
  const rows = new Map<number | undefined, TimelineRow>();
  for (let from = 0, end = 1; from < Math.min(end, MOST_PIXELS); from += PART_PIXELS) {
    const scene = await app.client.timeline(app.traceId, {
      window: app.window,
      lens: app.lens,
      width: 1,
      rows: { height, from, to: from + PART_PIXELS },
      depth: app.depth,
      open: [...app.open],
      closed: [...app.closed],
      groups: true,
      links: 'none',
      theme: app.theme,
    });
    end = scene.height;
    for (const row of scene.rows) rows.set(row.nodes[0], row);
  }
  return [...rows.values()].sort((a, b) => a.y0 - b.y0);
}

/** Selects and shows the entity before or after the selected one on its row. */
export function stepOnRow(app: App, step: -1 | 1): Promise<void> {
  return attempt(app, async () => {
    const { traceId, lens, client } = app;
    const { pick } = app.selection;
    if (pick === null || !isEntity(pick)) return;
    const next = await client.step(traceId, { pick, step, lens });
    if (next === null) return;
    const { node, start, end } = await client.inspect(traceId, { pick: next, lens });
    if (start !== null) app.reveal(next, node, start, end ?? start);
  });
}

/** A picture has at most so many pixels from top to bottom. */
const PART_PIXELS = 20_000;
/** Farther down, rows are not looked for. */
const MOST_PIXELS = 40 * PART_PIXELS;

export function sortRowsBy(app: App, value: ValueInfo): Promise<boolean> {
  return app.setLens(
    withOrder(app.lens, { by: { time: [referenceOf(app, value)] }, descending: true }),
  );
}

/** The value that something inspected has. */
export function inspectedValue(app: App, about: Inspection): ValueInfo | undefined {
  if (about.kind === 'container' || about.kind === 'aggregate') return undefined;
  const type = about.fields.find((field) => field.name === 'type')?.text ?? '';
  return valueNamed(app.trace, type, about.title);
}

export function referenceOf(app: App, value: ValueInfo): string {
  const { values, types } = app.trace ?? { values: [], types: [] };
  return valueReference(value, values, (id) => types.find((type) => type.id === id)?.name ?? '');
}
