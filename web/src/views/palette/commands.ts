// What the palette offers: everything that has no place of its own under the pointer.

import type { FindAnswer } from '../../api/types';
import type { App } from '../../state/app.svelte';
import { showFound } from '../../state/found';
import { CLEAR_LENS, literalPattern } from '../../state/lens';
import { PANEL_NAMES } from '../../state/types';
import { PANE_VIEWS, split } from '../../state/workspace';
import type { PaletteEntry } from '../../widgets/Palette.svelte';

const MOST_CONTAINERS = 20;

export function commands(app: App, enterWindow: () => void): readonly PaletteEntry[] {
  const entry = (title: string, hint: string, run: () => unknown): PaletteEntry => ({
    title,
    hint,
    run: () => void run(),
  });
  const levels = (app.trace?.levels ?? []).map(({ name }, depth) =>
    entry(`Collapse to ${name}`, '', () => app.setDepth(depth)),
  );
  return [
    entry('Show the whole trace', 'F', () => app.fit()),
    entry('Enter the window as times', 'T', enterWindow),
    entry('Undo', 'Ctrl-Z', () => app.undo()),
    entry('Redo', 'Ctrl-Y', () => app.redo()),
    entry('Fit all rows', '', () => app.setRowHeight('fit')),
    entry('Rows of natural height', '', () => app.setRowHeight(18)),
    entry('Open all rows', '', () => app.setDepth(null)),
    ...levels.slice(1),
    entry('Links: none', '', () => app.setLinks('none')),
    entry('Links: of the selection', '', () => app.setLinks('selection')),
    entry('Links: all', '', () => app.setLinks('all')),
    entry('Group the selected rows', 'G', () => app.groupSelected()),
    entry('Hide what is selected', 'H', () => app.hideSelected()),
    entry('Reset the lens', '', () => app.setLens(CLEAR_LENS)),
    entry('Lens as text', '', () => app.desk.openDialog('lens')),
    entry('Mark the middle of the window', 'M', () =>
      app.addMark((app.window.from + app.window.to) / 2),
    ),
    ...PANE_VIEWS.map((view) =>
      entry(`View: ${view}`, '', () => app.setPane(app.workspace.active, { view })),
    ),
    entry('A second view beside this one', '', () => app.setWorkspace(split(app.workspace))),
    ...PANEL_NAMES.map((name, index) =>
      entry(`Panel: ${name}`, String(index + 1), () => app.showPanel(name)),
    ),
    entry('Fold or unfold the inspector', 'I', () =>
      app.setPanels({ inspector: !app.panels.inspector }),
    ),
    entry('Fold or unfold the panels', 'B', () => app.setPanels({ bottom: !app.panels.bottom })),
    entry('Light or dark', '', () => app.setTheme(app.theme === 'dark' ? 'light' : 'dark')),
    entry('Export this view', '', () => app.desk.openDialog('export')),
    entry('Report on everything', '', () => app.desk.openDialog('report')),
    entry('Keys and gestures', '?', () => app.desk.openDialog('help')),
  ];
}

/** Containers whose name has the text. */
export async function findContainers(
  app: App,
  text: string,
  signal: AbortSignal,
): Promise<readonly PaletteEntry[]> {
  const question = {
    pattern: `*${literalPattern(text)}*`,
    ignore_case: true,
    kinds: ['container'] as const,
    fields: ['containers'] as const,
    limit: MOST_CONTAINERS,
    lens: app.lens,
  };
  const answer: FindAnswer = await app.client.find(app.traceId, question, signal);
  return answer.found.map((found) => ({
    title: found.container,
    hint: found.type,
    run: () => showFound(app, found),
  }));
}
