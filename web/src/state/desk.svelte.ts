// What the page shows besides the view: dialogs, the menu, the line of source, messages, the theme,
// what is lit. None of it is part of an address.

import type { SceneQuestion, ViewName } from '../api/types';
import type { Point } from '../lib/geometry';
import { setReadingSize } from '../lib/reading';
import { Notices } from './notices.svelte';
import { isNumber, recall, remember } from './remembered';
import { SqlQuestion } from './sql.svelte';
import { type Surroundings, ThemeChoice } from './theme.svelte';
import { TypedAhead } from './typed';
import type { MenuSubject, OpenMenu, SourceLine, Theme } from './types';

/** What a view besides the timeline shows, as it was asked for. */
export interface ShownPicture {
  /** The trace that it is asked of, if not the open one. */
  readonly trace?: string;
  readonly view: ViewName;
  readonly question: SceneQuestion & Readonly<Record<string, unknown>>;
}

export type DialogName = 'open' | 'export' | 'report' | 'share' | 'help' | 'palette' | 'lens';

export class Desk {
  #dialog = $state<DialogName | null>(null);
  #menu = $state.raw<OpenMenu | null>(null);
  #source = $state.raw<SourceLine | null>(null);
  #search = $state.raw<{ readonly pattern: string; readonly times: number }>({
    pattern: '',
    times: 0,
  });

  /** For the field of the palette or of the search, whichever was asked for last. */
  readonly typed = new TypedAhead();

  readonly notices = new Notices();
  readonly sql = new SqlQuestion();
  readonly #theme = new ThemeChoice();
  #reading = $state(recall('reading', isNumber) ?? 1);
  /** A colour beside which all others fade. */
  highlight = $state<number | null>(null);
  /** Files that lie on the page and are to be opened. */
  dropped = $state.raw<readonly File[]>([]);
  /** The row of what is pointed at in a panel. */
  pointedNode = $state<number | null>(null);

  /** How much larger than usual everything is: for people who sit far away. */
  get reading(): number {
    return this.#reading;
  }
  setReading(size: number): void {
    this.#reading = size;
    setReadingSize(size);
    remember('reading', size);
  }
  get theme(): Theme {
    return this.#theme.now;
  }
  get dialog(): DialogName | null {
    return this.#dialog;
  }
  get menu(): OpenMenu | null {
    return this.#menu;
  }
  get source(): SourceLine | null {
    return this.#source;
  }
  /** What was last asked from elsewhere; `times` tells two equal questions apart. */
  get search(): { readonly pattern: string; readonly times: number } {
    return this.#search;
  }

  followTheme(around?: Surroundings): void {
    if (this.#reading !== 1) setReadingSize(this.#reading);
    this.#theme.follow(around);
  }
  setTheme(theme: Theme): void {
    this.#theme.choose(theme);
  }
  openDialog(name: DialogName): void {
    this.#menu = null;
    this.#dialog = name;
    this.typed.take();
  }
  closeDialog(): void {
    this.#dialog = null;
  }
  openMenu({ x, y }: Point, about: MenuSubject): void {
    this.#menu = { x, y, about };
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
