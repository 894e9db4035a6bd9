// What two pages beside each other do to show the same window, and to look the same.

import { readableUnit } from '../lib/time';
import type { Desk } from './desk.svelte';
import type { Navigation } from './navigation.svelte';
import { isNumber, recall } from './remembered';
import { isTheme } from './themes';
import type { Window } from './types';

export class SameWindow {
  readonly #navigation: Navigation;
  readonly #tell: (window: Window) => void;
  /** What the other page knows. */
  #known = '';

  constructor(navigation: Navigation, tell: (window: Window) => void) {
    this.#navigation = navigation;
    this.#tell = tell;
  }

  /** The other page knows nothing of the window. */
  forget(): void {
    this.#known = '';
  }

  /** Tells the window if it is another one. */
  tell(): void {
    const window = this.#seconds();
    const text = JSON.stringify(window);
    if (window === null || text === this.#known) return;
    this.#known = text;
    this.#tell(window);
  }

  /** Takes the window of the other page, as far as the trace reaches. */
  take({ from, to }: Window): void {
    const perSecond = this.#perSecond;
    if (perSecond === null || !(from < to)) return;
    this.#navigation.setWindow({ from: from * perSecond, to: to * perSecond }, 'gesture');
    // A shorter trace shows less, and must not make the other page do the same.
    this.keep();
  }

  /** The other page need not be told the window as it is now. */
  keep(): void {
    this.#known = JSON.stringify(this.#seconds());
  }

  #seconds(): Window | null {
    const { from, to } = this.#navigation.window;
    const perSecond = this.#perSecond;
    return perSecond === null ? null : { from: from / perSecond, to: to / perSecond };
  }

  /** Ticks of a second, or of the unit of the trace if that is no time of clocks. */
  get #perSecond(): number | null {
    const { base } = this.#navigation.session;
    return base === null ? null : readableUnit(base, 0)[0];
  }
}

/** Takes over what is chosen in the other page of what both remember. Returns how to stop. */
export function lookTheSame(desk: Desk): () => void {
  const look = () => {
    const theme = recall('theme', isTheme);
    const reading = recall('reading', isNumber);
    if (theme !== null && theme !== desk.theme) desk.setTheme(theme);
    if (reading !== null && reading !== desk.reading) desk.setReading(reading);
  };
  addEventListener('storage', look);
  return () => removeEventListener('storage', look);
}
