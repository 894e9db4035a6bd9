// The keys of the page as a whole. The timeline has its own while it has the focus.

import { searchFor } from './state/actions';
import type { PageParts } from './state/parts';
import { PANEL_NAMES } from './state/types';

export interface KeyParts extends Pick<PageParts, 'navigation' | 'desk'> {
  readonly enterWindow: () => void;
}

/** Does what a key means; tells whether it meant something. */
export function pressed(parts: KeyParts, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey) return pressedWithControl(parts, event);
  if (event.altKey || isTyping(event.target)) return false;
  const panel = PANEL_NAMES[Number(event.key) - 1];
  if (panel !== undefined) {
    parts.navigation.showPanel(panel);
    return true;
  }
  const action = ACTIONS[event.key.toLowerCase()];
  action?.(parts);
  return action !== undefined;
}

const ACTIONS: Readonly<Record<string, (parts: KeyParts) => void>> = {
  '/': ({ desk, navigation }) => searchFor(desk, navigation, ''),
  '?': ({ desk }) => desk.openDialog('help'),
  i: ({ navigation }) => navigation.setPanels({ inspector: !navigation.panels.inspector }),
  b: ({ navigation }) => navigation.setPanels({ bottom: !navigation.panels.bottom }),
  o: ({ navigation }) => navigation.showFindings(),
  t: ({ enterWindow }) => enterWindow(),
  u: ({ navigation }) => navigation.togglePins(navigation.selection.nodes),
  x: ({ navigation }) => navigation.setCause('waits', !navigation.causes.includes('waits')),
  c: ({ navigation }) => navigation.setCause('path', !navigation.causes.includes('path')),
  v: ({ navigation }) => {
    if (navigation.beside === '') navigation.setBeside('50');
    else document.querySelector('iframe')?.focus();
  },
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

function pressedWithControl({ navigation, desk }: KeyParts, event: KeyboardEvent): boolean {
  const key = event.key.toLowerCase();
  if (key === 'o' && navigation.opens) {
    desk.openDialog('open');
    return true;
  }
  if (key === 'k') {
    desk.openDialog('palette');
    return true;
  }
  // Texts that are being typed have an undo of their own.
  if (isTyping(event.target)) return false;
  if (key === 'y' || (key === 'z' && event.shiftKey)) {
    navigation.redo();
    return true;
  }
  if (key === 'z') navigation.undo();
  return key === 'z';
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isField =
    target instanceof HTMLInputElement &&
    !['checkbox', 'radio', 'range', 'color'].includes(target.type);
  return isField || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
