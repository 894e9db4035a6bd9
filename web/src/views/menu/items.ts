// What can be done with the thing under the pointer.

import type { Inspection, ValueInfo } from '../../api/types';
import { exactTime } from '../../lib/time';
import {
  groupRows,
  hideRows,
  inspectedValue,
  referenceOf,
  searchFor,
  showOnlyRows,
  showSource,
  showTypesIn,
  sortRowsBy,
  typesOf,
  ungroupRow,
} from '../../state/actions';
import type { Desk } from '../../state/desk.svelte';
import { hide, showOnly } from '../../state/lens';
import type { PageParts } from '../../state/parts';
import type { MenuSubject } from '../../state/types';
import { copyText } from '../../widgets/clipboard';
import type { MenuItem } from '../../widgets/Menu.svelte';

type MenuParts = Pick<PageParts, 'navigation' | 'desk'>;

const LINE: MenuItem = { kind: 'line' };

function action(title: string, run: () => unknown, hint?: string): MenuItem {
  return { kind: 'action', title, run: () => void run(), ...(hint && { hint }) };
}

function copy({ notices }: Desk, text: string): () => Promise<void> {
  return async () => {
    try {
      await copyText(text);
      notices.done('Copied.');
    } catch (error) {
      notices.failed(error);
    }
  };
}

/** The items that need no question. */
export function itemsOf(parts: MenuParts, about: MenuSubject): readonly MenuItem[] {
  switch (about.kind) {
    case 'row':
      return rowItems(parts, about);
    case 'value':
      return valueItems(
        parts,
        parts.navigation.session.trace?.values.find((value) => value.id === about.value),
      );
    case 'time':
      return timeItems(parts, about.at);
    case 'entity':
      return timeItems(parts, about.at);
  }
}

function rowItems(
  { navigation, desk }: MenuParts,
  { nodes, name, path }: Extract<MenuSubject, { kind: 'row' }>,
): readonly MenuItem[] {
  const selected = navigation.selection.nodes;
  const both = nodes.some((node) => selected.includes(node)) ? selected : nodes;
  const isGroup = navigation.lens.group?.some(
    (group) => 'containers' in group && group.containers.name === name,
  );
  const these = both.length > 1 ? `these ${both.length} rows` : 'this row';
  return [
    { kind: 'head', title: path || name },
    action(`Show only ${these}`, () => showOnlyRows(navigation, both)),
    action(`Hide ${these}`, () => hideRows(navigation, both)),
    action(
      `${both.every((node) => navigation.pins.includes(node)) ? 'Unpin' : 'Pin'} ${these}`,
      () => navigation.togglePins(both),
      'U',
    ),
    ...(both.length > 1 ? [action(`Group ${these}`, () => groupRows(navigation, both), 'G')] : []),
    ...(isGroup ? [action(`Ungroup ${name}`, () => ungroupRow(navigation, name))] : []),
    ...(['link', 'event'] as const)
      .filter((nature) => typesOf(navigation.session, nature).length > 0)
      .flatMap((nature) => [
        action(`Show ${nature}s of ${these} only`, () =>
          showTypesIn(navigation, both, nature, 'only'),
        ),
        action(`Hide ${nature}s of ${these}`, () => showTypesIn(navigation, both, nature, 'hide')),
      ]),
    LINE,
    action('Statistics of it', () => {
      navigation.select({ nodes: both });
      navigation.showPanel('statistics');
    }),
    action('Note on it', () =>
      navigation.addNote(navigation.selection.range ?? navigation.window, path),
    ),
    action('Find similar', () => searchFor(desk, navigation, name.replace(/\d+/g, '*'))),
    action('Copy its path', copy(desk, path)),
  ];
}

function timeItems({ navigation, desk }: MenuParts, at: number): readonly MenuItem[] {
  const { range } = navigation.selection;
  const { base } = navigation.session;
  return [
    ...(range
      ? [action('Zoom to the selected window', () => navigation.zoomTo(range.from, range.to))]
      : []),
    action('Mark this time', () => navigation.addMark(at), 'M'),
    ...(range
      ? [action('Note on the selected window', () => navigation.addNote(range), 'Shift-M')]
      : []),
    ...(base ? [action('Copy this time', copy(desk, exactTime(base, at)))] : []),
    action('Show the whole trace', () => navigation.fit(), 'F'),
  ];
}

function valueItems(
  { navigation, desk }: MenuParts,
  value: ValueInfo | undefined,
): readonly MenuItem[] {
  if (value === undefined) return [];
  const reference = referenceOf(navigation.session, value);
  return [
    { kind: 'head', title: value.name },
    action('Show only this value', () =>
      navigation.setLens(showOnly(navigation.lens, 'values', [reference])),
    ),
    action('Hide this value', () =>
      navigation.setLens(hide(navigation.lens, 'values', [reference])),
    ),
    action('Sort rows by time in it', () => sortRowsBy(navigation, value)),
    action('Find similar', () => searchFor(desk, navigation, value.name)),
    action('Copy its name', copy(desk, value.name)),
  ];
}

/** What inspecting an entity adds: its own time, its value, its row. */
export function entityItems(
  parts: MenuParts,
  pick: string,
  about: Inspection,
): readonly MenuItem[] {
  const { navigation, desk } = parts;
  const { start, end, node, path } = about;
  const zoom =
    start !== null && end !== null && end > start
      ? [action('Zoom to it', () => navigation.zoomTo(start, end), 'double-click')]
      : [];
  const source = about.source;
  const row =
    node === null
      ? []
      : rowItems(parts, {
          kind: 'row',
          nodes: [node],
          name: about.container ?? '',
          path: path ?? '',
        });
  return [
    { kind: 'head', title: about.title },
    action('Inspect', () => {
      navigation.select({ pick });
      navigation.setPanels({ inspector: true });
    }),
    ...zoom,
    ...(source
      ? [action('Show its source', () => showSource(desk, navigation, source.file, source.line))]
      : []),
    ...valueItems(parts, inspectedValue(navigation.session, about)).slice(1),
    ...(row.length > 0 ? [LINE, ...row] : []),
  ];
}
