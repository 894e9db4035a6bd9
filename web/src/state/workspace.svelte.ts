// The panes side by side: which are shown, how wide, and which one keys are for. None of it is
// navigation: undo does not change it.

import {
  type Arrangement,
  dropped,
  MOST_PANES,
  type PaneView,
  split,
  swapped,
  withoutPane,
  withShare,
} from './arrangement';
import type { Navigation } from './navigation.svelte';
import { Pane } from './pane.svelte';

export class Workspace {
  readonly #navigation: Navigation;
  readonly #panes: readonly Pane[];
  /** Those that are shown, from left to right. */
  readonly panes: readonly Pane[] = $derived.by(() =>
    this.#panes.slice(0, this.#arrangement.panes.length),
  );

  constructor(navigation: Navigation) {
    this.#navigation = navigation;
    this.#panes = Array.from({ length: MOST_PANES }, (_, place) => new Pane(navigation, place));
  }

  get #arrangement(): Arrangement {
    return this.#navigation.arrangement;
  }
  /** The share of the width that the first of two has. */
  get share(): number {
    return this.#arrangement.share;
  }
  /** The pane that keys are for. */
  get active(): Pane | undefined {
    return this.panes[this.#arrangement.active];
  }

  activate({ place }: Pane): void {
    if (this.#arrangement.active !== place) this.#set({ ...this.#arrangement, active: place });
  }
  setShare(share: number): void {
    this.#set(withShare(this.#arrangement, share));
  }
  split(): void {
    this.#set(split(this.#arrangement));
  }
  swap(): void {
    this.#set(swapped(this.#arrangement));
  }
  close({ place }: Pane): void {
    this.#set(withoutPane(this.#arrangement, place));
  }
  /** A view was dragged from a pane to a side of another. */
  drop(view: PaneView, from: number, { place }: Pane, side: 'left' | 'right'): void {
    this.#set(dropped(this.#arrangement, view, from, place, side));
  }

  #set(arrangement: Arrangement): void {
    this.#navigation.setArrangement(arrangement, 'quiet');
  }
}
