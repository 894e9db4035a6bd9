// What lies open on the page besides the view: dialogs, the menu, the line of source. None of it
// is part of an address.

import { SvelteMap } from 'svelte/reactivity';
import type { FigureName, SceneQuestion } from '../api/types';
import { TypedAhead } from './typed';
import type { OpenMenu, SourcePlace } from './types';

/** What a view besides the timeline shows, as it was asked for. */
export interface ShownPicture {
  readonly view: FigureName;
  readonly question: SceneQuestion & Readonly<Record<string, unknown>>;
}

export type DialogName = 'export' | 'report' | 'help' | 'palette' | 'lens';

export class Desk {
  #dialog = $state<DialogName | null>(null);
  #menu = $state.raw<OpenMenu | null>(null);
  #source = $state.raw<SourcePlace | null>(null);
  #search = $state.raw<{ readonly pattern: string; readonly times: number }>({
    pattern: '',
    times: 0,
  });

  /** What panes can be exported as, by their place. */
  readonly pictures = new SvelteMap<number, readonly ShownPicture[]>();

  /** For the field of the palette or of the search, whichever was asked for last. */
  readonly typed = new TypedAhead();

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
    this.typed.take();
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
    this.typed.take();
    this.#search = { pattern, times: this.#search.times + 1 };
  }
}
