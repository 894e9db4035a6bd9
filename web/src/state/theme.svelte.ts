// Light or dark: what was chosen on this machine, else what the surroundings say.

import { recall, remember } from './remembered';
import { isTheme } from './themes';
import type { Theme } from './types';

/** What the page is surrounded by. */
export interface Surroundings {
  readonly isDark: boolean;
  onChange(listener: () => void): void;
}

function system(): Surroundings {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  return {
    get isDark() {
      return dark.matches;
    },
    onChange: (listener) => dark.addEventListener('change', listener),
  };
}

export class ThemeChoice {
  #now = $state<Theme>('light');
  #chosen: Theme | null = null;

  get now(): Theme {
    return this.#now;
  }

  /** Shows the theme, and follows the surroundings as long as nothing was chosen. */
  follow(around: Surroundings = system()): void {
    const apply = () =>
      this.#show(this.#chosen ?? recall('theme', isTheme) ?? (around.isDark ? 'dark' : 'light'));
    around.onChange(apply);
    apply();
  }

  choose(theme: Theme): void {
    // Where nothing can be remembered, it stays as long as the page.
    this.#chosen = theme;
    remember('theme', theme);
    this.#show(theme);
  }

  #show(theme: Theme): void {
    this.#now = theme;
    document.documentElement.dataset['theme'] = theme;
  }
}
