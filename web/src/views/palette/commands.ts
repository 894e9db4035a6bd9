// What the palette offers: everything that has no place of its own under the pointer.

import type { FindAnswer } from '../../api/types';
import { READING_SIZES } from '../../lib/reading';
import { groupSelection, hideSelection, stepAlong } from '../../state/actions';
import { PANE_VIEWS } from '../../state/arrangement';
import { mayHaveBeside, openBeside } from '../../state/beside';
import { CAUSE_KEYS, CAUSE_MARKS, CAUSE_TITLES } from '../../state/causes';
import { showFound } from '../../state/found';
import { CLEAR_LENS, literalPattern } from '../../state/lens';
import type { Navigation } from '../../state/navigation.svelte';
import type { PageParts } from '../../state/parts';
import { type ChainStep, PANEL_NAMES } from '../../state/types';
import type { PaletteEntry } from '../../widgets/Palette.svelte';

const MOST_CONTAINERS = 20;

const STEPS: readonly (readonly [title: string, key: string, step: ChainStep])[] = [
  ['Previous on the row', '[', { along: 'row', step: -1 }],
  ['Next on the row', ']', { along: 'row', step: 1 }],
  ['Previous in cause', 'P', { along: 'cause', step: -1 }],
  ['Next in cause', 'N', { along: 'cause', step: 1 }],
  ['Previous step of the critical path', 'K', { along: 'path', step: -1 }],
  ['Next step of the critical path', 'J', { along: 'path', step: 1 }],
  ['Next longest of the same value', 'L', { along: 'length', step: 1 }],
  ['Previous longest of the same value', 'Shift-L', { along: 'length', step: -1 }],
];

export interface CommandParts extends Omit<PageParts, 'session'> {
  readonly enterWindow: () => void;
}

export function commands({
  navigation,
  workspace,
  desk,
  enterWindow,
}: CommandParts): readonly PaletteEntry[] {
  const entry = (title: string, hint: string, run: () => unknown): PaletteEntry => ({
    title,
    hint,
    run: () => void run(),
  });
  const traces = mayHaveBeside(navigation) ? (navigation.session.server?.traces ?? []) : [];
  const levels = (navigation.session.trace?.levels ?? []).map(({ name }, depth) =>
    entry(`Collapse to ${name}`, '', () => navigation.setDepth(depth)),
  );
  return [
    entry('Show the whole trace', 'F', () => navigation.fit()),
    entry('Enter the window as times', 'T', enterWindow),
    entry('Undo', 'Ctrl-Z', () => navigation.undo()),
    entry('Redo', 'Ctrl-Y', () => navigation.redo()),
    entry('Fit all rows', '', () => navigation.setRowHeight('fit')),
    entry('Rows of natural height', '', () => navigation.setRowHeight(18)),
    entry('Open all rows', '', () => navigation.setDepth(null)),
    ...levels.slice(1),
    entry('Links: none', '', () => navigation.setLinks('none')),
    entry('Links: of the selection', '', () => navigation.setLinks('selection')),
    entry('Links: all', '', () => navigation.setLinks('all')),
    ...CAUSE_MARKS.map((mark) => {
      const isShown = navigation.causes.includes(mark);
      const title = `${isShown ? 'Hide' : 'Show'} ${CAUSE_TITLES[mark]}`;
      return entry(title, CAUSE_KEYS[mark], () => navigation.setCause(mark, !isShown));
    }),
    entry('Nested states: all depths', '', () => navigation.setStateDepths(null)),
    entry('Nested states: the outermost only', '', () => navigation.setStateDepths(1)),
    entry(
      `Variables of a row: ${navigation.overlay ? 'each on its own' : 'on one scale'}`,
      '',
      () => navigation.setOverlay(!navigation.overlay),
    ),
    entry('What stands out', 'O', () => navigation.showFindings()),
    ...STEPS.map(([title, key, step]) =>
      entry(title, key, () => stepAlong(navigation, navigation, step)),
    ),
    entry('Group the selected rows', 'G', () => groupSelection(navigation)),
    entry('Pin the selected rows to the top', 'U', () =>
      navigation.togglePins(navigation.selection.nodes),
    ),
    entry('Hide what is selected', 'H', () => hideSelection(navigation)),
    entry('Reset the lens', '', () => navigation.setLens(CLEAR_LENS)),
    entry('Lens as text', '', () => desk.openDialog('lens')),
    entry('Mark the middle of the window', 'M', () =>
      navigation.addMark((navigation.window.from + navigation.window.to) / 2),
    ),
    ...PANE_VIEWS.map((view) => entry(`View: ${view}`, '', () => workspace.active?.setView(view))),
    entry('A second view beside this one', '', () => workspace.split()),
    ...traces.map(({ id, name }) =>
      entry(`Beside this page: ${name}`, '', () => openBeside(navigation, id)),
    ),
    ...(navigation.beside === ''
      ? []
      : [entry('Close the page beside', '', () => navigation.setBeside(''))]),
    ...PANEL_NAMES.map((name, index) =>
      entry(`Panel: ${name}`, String(index + 1), () => navigation.showPanel(name)),
    ),
    entry('Fold or unfold the inspector', 'I', () =>
      navigation.setPanels({ inspector: !navigation.panels.inspector }),
    ),
    entry('Fold or unfold the panels', 'B', () =>
      navigation.setPanels({ bottom: !navigation.panels.bottom }),
    ),
    ...READING_SIZES.map((size) =>
      entry(`Reading size: ${size * 100} %`, '', () => desk.setReading(size)),
    ),
    entry('Light or dark', '', () => desk.setTheme(desk.theme === 'dark' ? 'light' : 'dark')),
    ...(navigation.opens ? [entry('Open a trace', 'Ctrl-O', () => desk.openDialog('open'))] : []),
    entry('Export this view', '', () => desk.openDialog('export')),
    entry('Report on everything', '', () => desk.openDialog('report')),
    entry('Keys and gestures', '?', () => desk.openDialog('help')),
  ];
}

/** Containers whose name has the text. */
export async function findContainers(
  navigation: Navigation,
  text: string,
  signal: AbortSignal,
): Promise<readonly PaletteEntry[]> {
  const question = {
    pattern: `*${literalPattern(text)}*`,
    ignore_case: true,
    kinds: ['container'] as const,
    fields: ['containers'] as const,
    limit: MOST_CONTAINERS,
    lens: navigation.lens,
  };
  const answer: FindAnswer = await navigation.session.client.find(
    navigation.session.traceId,
    question,
    signal,
  );
  return answer.found.map((found) => ({
    title: found.container ?? '?',
    hint: found.type,
    run: () => showFound(navigation, found),
  }));
}
