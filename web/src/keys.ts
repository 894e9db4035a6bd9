// The keys of the page as a whole. The timeline has its own while it has the focus.

import type { App } from './state/app.svelte';
import { PANEL_NAMES } from './state/types';

/** Does what a key means; tells whether it meant something. */
export function pressed(app: App, event: KeyboardEvent, enterWindow: () => void): boolean {
  if (event.ctrlKey || event.metaKey) return pressedWithControl(app, event);
  if (event.altKey || isTyping(event.target)) return false;
  const panel = PANEL_NAMES[Number(event.key) - 1];
  if (panel !== undefined) {
    app.showPanel(panel);
    return true;
  }
  const action = ACTIONS[event.key.toLowerCase()];
  action?.(app, enterWindow);
  return action !== undefined;
}

const ACTIONS: Readonly<Record<string, (app: App, enterWindow: () => void) => void>> = {
  '/': (app) => app.searchFor(''),
  '?': (app) => app.desk.openDialog('help'),
  i: (app) => app.setPanels({ inspector: !app.panels.inspector }),
  b: (app) => app.setPanels({ bottom: !app.panels.bottom }),
  t: (_, enterWindow) => enterWindow(),
};

/**
 * Gives a key to the plot when the focus is somewhere that does not need it, as on a button that
 * was just clicked. The copy bubbles, but comes back with the plot as its target.
 */
export function forwarded(event: KeyboardEvent, plot: Element | null): boolean {
  const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
  const isUsed = target instanceof HTMLInputElement || isTyping(target) || target === plot;
  if (isUsed || ctrlKey || metaKey || altKey || ['Enter', ' ', 'Tab'].includes(key)) return false;
  const copy = new KeyboardEvent('keydown', { key, shiftKey, bubbles: true, cancelable: true });
  return plot !== null && !plot.dispatchEvent(copy);
}

function pressedWithControl(app: App, event: KeyboardEvent): boolean {
  const key = event.key.toLowerCase();
  if (key === 'k') {
    app.desk.openDialog('palette');
    return true;
  }
  // Texts that are being typed have an undo of their own.
  if (isTyping(event.target)) return false;
  if (key === 'y' || (key === 'z' && event.shiftKey)) {
    app.redo();
    return true;
  }
  if (key === 'z') app.undo();
  return key === 'z';
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isField =
    target instanceof HTMLInputElement &&
    !['checkbox', 'radio', 'range', 'color'].includes(target.type);
  return isField || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
