// What lies open on the page besides the view: dialogs, the menu, the line of source. None of it
// is part of an address.

import type { OpenMenu, SourcePlace } from './types';

export type DialogName = 'export' | 'help' | 'palette' | 'lens';

export class Desk {
  #dialog = $state<DialogName | null>(null);
  #menu = $state.raw<OpenMenu | null>(null);
  #source = $state.raw<SourcePlace | null>(null);
  #search = $state.raw<{ readonly pattern: string; readonly times: number }>({
    pattern: '',
    times: 0,
  });

  /** Pixels in which rows are seen; about, for scrolling one into sight. */
  plotHeight = 300;

  get dialog(): DialogName | null {
    return this.#dialog;
  }
  get menu(): OpenMenu | null {
    return this.#menu;
  }
  get source(): SourcePlace | null {
    return this.#source;
  }
  /** What was last asked from elsewhere; `times` tells two equal questions apart. */
  get search(): { readonly pattern: string; readonly times: number } {
    return this.#search;
  }

  openDialog(name: DialogName): void {
    this.#menu = null;
    this.#dialog = name;
  }
  closeDialog(): void {
    this.#dialog = null;
  }
  openMenu(menu: OpenMenu): void {
    this.#menu = menu;
  }
  closeMenu(): void {
    this.#menu = null;
  }
  showSource(file: string, line: number): void {
    this.#source = { file, line };
  }
  searchFor(pattern: string): void {
    this.#search = { pattern, times: this.#search.times + 1 };
  }
}
