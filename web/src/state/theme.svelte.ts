// Light or dark: what was chosen on this machine, else what the system says.

import { recall, remember } from './remembered';
import { isTheme } from './themes';
import type { Theme } from './types';

export class ThemeChoice {
  #now = $state<Theme>('light');

  get now(): Theme {
    return this.#now;
  }

  /** Shows the theme, and follows the system as long as nothing was chosen. */
  follow(): void {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const apply = () => this.#show(recall('theme', isTheme) ?? (system.matches ? 'dark' : 'light'));
    system.addEventListener('change', apply);
    apply();
  }

  choose(theme: Theme): void {
    remember('theme', theme);
    this.#show(theme);
  }

  #show(theme: Theme): void {
    this.#now = theme;
    document.documentElement.dataset['theme'] = theme;
  }
}
