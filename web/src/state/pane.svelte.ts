// One pane and the view in it. A locked pane has a window and a lens of its own; all else it shares
// with the others.

import type { Lens } from '../api/types';
import { within } from '../lib/window';
import {
  type LockedView,
  type PaneOptions,
  type PaneSettings,
  type PaneView,
  USUAL_OPTIONS,
  usualPane,
  withPane,
} from './arrangement';
import type { ShownPicture } from './desk.svelte';
import type { How } from './history';
import type { Navigation } from './navigation.svelte';
import type { Notices } from './notices.svelte';
import type { TraceSession } from './trace_session.svelte';
import { NOTHING_SELECTED, type Selection, type Status, type Window } from './types';
import { sameRows } from './view';
import type { Viewpoint } from './viewpoint';

export class Pane implements Viewpoint {
  readonly place: number;
  readonly navigation: Navigation;
  readonly session: TraceSession;
  readonly notices: Notices;
  /** What it can be exported as; the first is offered first. */
  pictures = $state.raw<readonly ShownPicture[]>([]);

  readonly #settings: PaneSettings = $derived.by(
    () => this.navigation.arrangement.panes[this.place] ?? usualPane('timeline'),
  );
  readonly view: PaneView = $derived(this.#settings.view);
  readonly options: PaneOptions = $derived(this.#settings.options);
  readonly #own: LockedView | null = $derived(this.#settings.own);
  readonly isLocked: boolean = $derived(this.#own !== null);
  readonly window: Window = $derived.by(() => this.#own?.window ?? this.navigation.window);
  readonly lens: Lens = $derived.by(() => this.#own?.lens ?? this.navigation.lens);
  /** Rows are numbered through the lens: numbers of another lens mean other rows. */
  readonly #sharesRows: boolean = $derived.by(() => sameRows(this.lens, this.navigation.lens));
  readonly selection: Selection = $derived.by(() => {
    const { selection } = this.navigation;
    if (this.#sharesRows) return selection;
    const { range, value } = selection;
    return { ...NOTHING_SELECTED, range, value };
  });

  constructor(navigation: Navigation, place: number) {
    this.navigation = navigation;
    this.session = navigation.session;
    this.notices = navigation.notices;
    this.place = place;
  }

  setView(view: PaneView): void {
    this.set({ view });
  }
  /** Undo takes a change back only if `how` says so. */
  readonly setOptions = (part: Partial<PaneOptions>, how?: How): void => {
    this.set({ options: { ...this.options, ...part } }, how);
  };
  set(part: Partial<PaneSettings>, how: How = 'quiet'): void {
    const arrangement = withPane(this.navigation.arrangement, this.place, part);
    this.navigation.setArrangement(arrangement, how);
  }

  /** From now on the window and the lens are those of the pane alone. */
  lock(): void {
    this.set({ own: { window: this.window, lens: this.lens } });
  }
  unlock(): void {
    this.#setOwn(null);
  }

  get length(): number {
    return this.session.whole.to;
  }
  setWindow(window: Window, how: 'gesture' | 'jump'): void {
    if (this.#own === null) this.navigation.setWindow(window, how);
    else this.#setOwn({ ...this.#own, window: within(window, this.session.whole.to) });
  }
  zoomTo(from: number, to: number): void {
    this.setWindow({ from, to }, 'jump');
  }
  fit(): void {
    if (this.#own === null) this.navigation.fit();
    else this.#setOwn({ ...this.#own, window: this.session.whole });
  }
  async setLens(lens: Lens): Promise<boolean> {
    if (this.#own === null) return this.navigation.setLens(lens);
    this.#setOwn({ ...this.#own, lens });
    return true;
  }
  select(part: Partial<Selection>): void {
    const { pick: _, nodes: __, ...anywhere } = part;
    this.navigation.select(this.#sharesRows ? part : anywhere);
  }
  selectNothing(): void {
    this.navigation.selectNothing();
  }

  /** The status line is about the rows wherever there are some. */
  tellStatus({ exact, notes, ms, legend }: Omit<Status, 'rows'>): void {
    const { panes } = this.navigation.arrangement;
    if (panes.some(({ view }) => view === 'timeline')) return;
    this.session.setStatus({ rows: null, exact, notes, ms, legend });
  }

  /** What is unfolded are messages of the window before: with another one it is gone. */
  #setOwn(own: LockedView | null): void {
    this.set({ own, options: { ...this.options, unfolded: USUAL_OPTIONS.unfolded } });
  }
}
