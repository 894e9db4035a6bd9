// What can be done with things that were picked: rows and values are turned into the words of a
// lens. The server knows the names; the page knows only numbers.

import type { Inspection, TimelineRow, ValueInfo } from '../api/types';
import type { Desk } from './desk.svelte';
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
  withTypesIn,
} from './lens';
import type { Navigation } from './navigation.svelte';
import { nodeOf, nodePick } from './picks';
import type { TraceSession } from './trace_session.svelte';
import { type ChainStep, ROW_HEIGHT } from './types';
import { valueNamed } from './values';
import type { Viewpoint } from './viewpoint';

/** The paths of rows, without those that cannot be found any more. */
async function pathsOf(view: Viewpoint, nodes: readonly number[]): Promise<readonly string[]> {
  const ask = (node: number) =>
    view.session.client.inspect(view.session.traceId, { pick: nodePick(node), lens: view.lens });
  const answers = await Promise.all(nodes.map(ask));
  return answers.map((answer) => answer.path).filter((path) => path !== null);
}

/** More rows are not looked up by their path. */
const MOST_SELECTED = 50;
const MOST_NAMESAKES = 1000;

/** Selects the rows of containers, by their paths; groups of a lens cannot be found by theirs. */
export function selectContainers(view: Viewpoint, paths: readonly string[]): Promise<void> {
  return attempt(view, async () => {
    const find = async (path: string) => {
      const name = path.slice(parentPath(path).length).replace(/^\//, '').replace(/\\(.)/g, '$1');
      const { found } = await view.session.client.find(view.session.traceId, {
        pattern: literalPattern(name),
        kinds: ['container'],
        fields: ['containers'],
        limit: MOST_NAMESAKES,
        lens: view.lens,
      });
      return found.find(({ container }) => container === path)?.node ?? null;
    };
    const nodes = await Promise.all(paths.slice(0, MOST_SELECTED).map(find));
    view.select({ pick: null, value: null, nodes: nodes.filter((node) => node !== null) });
  });
}

/** Does something with the lens; a failure is told, not thrown. */
async function attempt(view: Viewpoint, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    view.notices.failed(error);
  }
}

export function groupSelection(view: Viewpoint): Promise<void> {
  return groupRows(view, view.selection.nodes);
}

export function groupRows(view: Viewpoint, nodes: readonly number[]): Promise<void> {
  return attempt(view, async () => {
    if (nodes.length === 0) {
      view.notices.failed('Select rows first: click their names, with Shift for several.');
      return;
    }
    const paths = await pathsOf(view, nodes);
    const name = freshGroupName(view.lens);
    await view.setLens(
      addGroup(view.lens, { containers: { name, of: paths.map(containerReference) } }),
    );
  });
}

export function ungroupRow(view: Viewpoint, name: string): Promise<boolean> {
  return view.setLens(ungroup(view.lens, name));
}

export function hideRows(view: Viewpoint, nodes: readonly number[]): Promise<void> {
  return attempt(view, async () => {
    const paths = await pathsOf(view, nodes);
    await view.setLens(hide(view.lens, 'containers', paths.map(subtreeReference)));
  });
}

export function showOnlyRows(view: Viewpoint, nodes: readonly number[]): Promise<void> {
  return attempt(view, async () => {
    const paths = await pathsOf(view, nodes);
    await view.setLens(showOnly(view.lens, 'containers', paths.map(subtreeReference)));
  });
}

/** Shows links or events only of some rows and what lies below them, or hides them there. */
export function showTypesIn(
  view: Viewpoint,
  nodes: readonly number[],
  nature: 'link' | 'event',
  how: 'only' | 'hide',
): Promise<void> {
  return attempt(view, async () => {
    const paths = await pathsOf(view, nodes);
    const places = paths.map(subtreeReference);
    const types = typesOf(view.session, nature);
    const where = how === 'only' ? { only: places } : { hide: places };
    await view.setLens(withTypesIn(view.lens, types, where));
  });
}

/** How a lens names the types of a nature. */
export function typesOf(session: TraceSession, nature: 'link' | 'event'): readonly string[] {
  const types = (session.trace?.types ?? []).filter((type) => type.nature === nature);
  return [...new Set(types.map(({ name }) => name))];
}

/** Hides the value of the selected entity, else the selected rows. */
export function hideSelection(view: Viewpoint): Promise<void> {
  return attempt(view, async () => {
    const { nodes, pick } = view.selection;
    if (pick === null || nodeOf(pick) !== null) {
      if (nodes.length === 0) throw new Error('Select what is to be hidden first.');
      return hideRows(view, nodes);
    }
    const { session, lens } = view;
    const about = await session.client.inspect(session.traceId, { pick, lens });
    const value = inspectedValue(session, about);
    if (value === undefined) throw new Error('This has no value that could be hidden.');
    await view.setLens(hide(lens, 'values', [referenceOf(session, value)]));
  });
}

/** Puts a row beside another one of the same parent. */
export function moveRow(
  view: Viewpoint,
  tree: OpenRows,
  moved: number,
  beside: number,
  side: 'before' | 'after',
): Promise<void> {
  return attempt(view, async () => {
    const rows = await allRows(view, tree);
    const pathOf = (node: number) => rows.find((row) => row.nodes.includes(node))?.path;
    const [from, to] = [pathOf(moved), pathOf(beside)];
    if (from === undefined || to === undefined || from === to) return;
    const siblings = rows
      .filter((row) => row.state !== 'merged' && parentPath(row.path) === parentPath(to))
      .map((row) => containerReference(row.path));
    const reference = containerReference(from);
    const others = siblings.filter((sibling) => sibling !== reference);
    const place = others.indexOf(containerReference(to)) + (side === 'after' ? 1 : 0);
    await view.setLens(moveBefore(view.lens, siblings, reference, others[place] ?? null));
  });
}

/** Scrolls so that a row can be seen. */
export function scrollToRow(navigation: Navigation, node: number): Promise<void> {
  return attempt(navigation, async () => {
    const { rowHeight } = navigation;
    if (rowHeight === 'fit') return;
    const rows = await allRows(navigation, navigation, rowHeight);
    const row = rows.find(({ nodes }) => nodes.includes(node));
    if (row === undefined) return;
    const { plotHeight, scrollY } = navigation;
    const isSeen = row.y0 >= scrollY && row.y1 <= scrollY + plotHeight;
    if (!isSeen) navigation.setScrollY((row.y0 + row.y1 - plotHeight) / 2);
  });
}

/** Which rows are open and which are collapsed. */
type OpenRows = Pick<Navigation, 'depth' | 'open' | 'closed'>;

/** Every row, whether it can be seen or not: pictures of one column are enough to learn them. */
async function allRows(
  { session, window, lens }: Viewpoint,
  { depth, open, closed }: OpenRows,
  height: number = ROW_HEIGHT.least,
): Promise<readonly TimelineRow[]> {
  // The open groups above the asked pixels come with each part, so rows are told apart by node.
  const rows = new Map<number | undefined, TimelineRow>();
  for (let from = 0, end = 1; from < Math.min(end, MOST_PIXELS); from += PART_PIXELS) {
    const scene = await session.client.timeline(session.traceId, {
      window,
      lens,
      width: 1,
      rows: { height, from, to: from + PART_PIXELS },
      depth,
      open: [...open],
      closed: [...closed],
      groups: true,
      links: 'none',
      theme: 'light',
    });
    end = scene.height;
    for (const row of scene.rows) rows.set(row.nodes[0], row);
  }
  return [...rows.values()].sort((a, b) => a.y0 - b.y0);
}

/** Selects and shows what comes before or after the selected thing. */
export function stepAlong(view: Viewpoint, navigation: Navigation, step: ChainStep): Promise<void> {
  return attempt(view, async () => (await import('./steps')).go(view, navigation, step));
}

/** The most pixels that a picture can have from top to bottom. */
const PART_PIXELS = 20_000;
/** Farther down, rows are not looked for. */
const MOST_PIXELS = 40 * PART_PIXELS;

export function sortRowsBy(view: Viewpoint, value: ValueInfo): Promise<boolean> {
  return view.setLens(
    withOrder(view.lens, { by: { time: [referenceOf(view.session, value)] }, descending: true }),
  );
}

/** The value that something inspected has. */
export function inspectedValue({ trace }: TraceSession, about: Inspection): ValueInfo | undefined {
  if (about.kind === 'container' || about.kind === 'aggregate') return undefined;
  const type = about.fields.find((field) => field.name === 'type')?.text ?? '';
  return valueNamed(trace, type, about.title);
}

export function referenceOf({ trace }: TraceSession, value: ValueInfo): string {
  const { values, types } = trace ?? { values: [], types: [] };
  return valueReference(value, values, (id) => types.find((type) => type.id === id)?.name ?? '');
}

export function searchFor(desk: Desk, navigation: Navigation, pattern: string): void {
  desk.searchFor(pattern);
  navigation.showPanel('search');
}

export function showSource(desk: Desk, navigation: Navigation, file: string, line: number): void {
  desk.showSource(file, line);
  navigation.showPanel('source');
}
