// What can be done with the thing under the pointer.

import type { Inspection, ValueInfo } from '../../api/types';
import { exactTime } from '../../lib/time';
import {
  groupRows,
  hideRows,
  inspectedValue,
  referenceOf,
  showOnlyRows,
  sortRowsBy,
  ungroupRow,
} from '../../state/actions';
import type { App } from '../../state/app.svelte';
import { hide, showOnly } from '../../state/lens';
import type { MenuSubject } from '../../state/types';
import { copyText } from '../../widgets/clipboard';
import type { MenuItem } from '../../widgets/Menu.svelte';

const LINE: MenuItem = { kind: 'line' };

function action(title: string, run: () => unknown, hint?: string): MenuItem {
  return { kind: 'action', title, run: () => void run(), ...(hint && { hint }) };
}

function copy(app: App, text: string): () => Promise<void> {
  return async () => {
    try {
      await copyText(text);
      app.notices.done('Copied.');
    } catch (error) {
      app.notices.failed(error);
    }
  };
}

/** The items that need no question. */
export function itemsOf(app: App, about: MenuSubject): readonly MenuItem[] {
  switch (about.kind) {
    case 'row':
      return rowItems(app, about);
    case 'value':
      return valueItems(
        app,
        app.trace?.values.find((value) => value.id === about.value),
      );
    case 'time':
      return timeItems(app, about.at);
    case 'entity':
      return timeItems(app, about.at);
  }
}

function rowItems(
  app: App,
  { nodes, name, path }: Extract<MenuSubject, { kind: 'row' }>,
): readonly MenuItem[] {
  const selected = app.selection.nodes;
  const both = nodes.some((node) => selected.includes(node)) ? selected : nodes;
  const isGroup = app.lens.group?.some(
    (group) => 'containers' in group && group.containers.name === name,
  );
  const these = both.length > 1 ? `these ${both.length} rows` : 'this row';
  return [
    { kind: 'head', title: path || name },
    action(`Show only ${these}`, () => showOnlyRows(app, both)),
    action(`Hide ${these}`, () => hideRows(app, both)),
    ...(both.length > 1 ? [action(`Group ${these}`, () => groupRows(app, both), 'G')] : []),
    ...(isGroup ? [action(`Ungroup ${name}`, () => ungroupRow(app, name))] : []),
    LINE,
    action('Statistics of it', () => {
      app.select({ nodes: both });
      app.showPanel('statistics');
    }),
    action('Find similar', () => app.searchFor(name.replace(/\d+/g, '*'))),
    action('Copy its path', copy(app, path)),
  ];
}

function timeItems(app: App, at: number): readonly MenuItem[] {
  const { range } = app.selection;
  return [
    ...(range
      ? [action('Zoom to the selected window', () => app.zoomTo(range.from, range.to))]
      : []),
    action('Mark this time', () => app.addMark(at), 'M'),
    ...(app.base ? [action('Copy this time', copy(app, exactTime(app.base, at)))] : []),
    action('Show the whole trace', () => app.fit(), 'F'),
  ];
}

function valueItems(app: App, value: ValueInfo | undefined): readonly MenuItem[] {
  if (value === undefined) return [];
  const reference = referenceOf(app, value);
  return [
    { kind: 'head', title: value.name },
    action('Show only this value', () => app.setLens(showOnly(app.lens, 'values', [reference]))),
    action('Hide this value', () => app.setLens(hide(app.lens, 'values', [reference]))),
    action('Sort rows by time in it', () => sortRowsBy(app, value)),
    action('Find similar', () => app.searchFor(value.name)),
    action('Copy its name', copy(app, value.name)),
  ];
}

/** What inspecting an entity adds: its own time, its value, its row. */
export function entityItems(app: App, pick: string, about: Inspection): readonly MenuItem[] {
  const { start, end, node, path } = about;
  const zoom =
    start !== null && end !== null && end > start
      ? [action('Zoom to it', () => app.zoomTo(start, end), 'double-click')]
      : [];
  const source = about.source;
  const row =
    node === null
      ? []
      : rowItems(app, {
          kind: 'row',
          nodes: [node],
          name: about.container ?? '',
          path: path ?? '',
        });
  return [
    { kind: 'head', title: about.title },
    action('Inspect', () => {
      app.select({ pick });
      app.setPanels({ inspector: true });
    }),
    ...zoom,
    ...(source ? [action('Show its source', () => app.showSource(source.file, source.line))] : []),
    ...valueItems(app, inspectedValue(app, about)).slice(1),
    ...(row.length > 0 ? [LINE, ...row] : []),
  ];
}
