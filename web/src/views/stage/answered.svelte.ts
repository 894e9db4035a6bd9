// What views do with their answers, whatever these are: they say that one is awaited, tell the status
// line about it, and let it be exported.

import { untrack } from 'svelte';
import type { App } from '../../state/app.svelte';
import type { ShownPicture } from '../../state/desk.svelte';

/** A quick answer needs no sign that it is awaited. */
const PATIENCE_MS = 200;

/** Tells whether something has been awaited for a while. */
export function awaited(isWaiting: () => boolean): { readonly isLong: boolean } {
  let isLong = $state(false);
  $effect(() => {
    if (!isWaiting()) {
      isLong = false;
      return;
    }
    const timer = setTimeout(() => {
      isLong = true;
    }, PATIENCE_MS);
    return () => clearTimeout(timer);
  });
  return {
    get isLong() {
      return isLong;
    },
  };
}

interface Told {
  readonly exact: boolean;
  readonly notes: readonly string[];
  readonly ms: number;
}

/** The status line is about the rows wherever there are some. */
export function tellStatus(app: App, { exact, notes, ms }: Told): void {
  if (app.workspace.panes.some((pane) => pane.view === 'timeline')) return;
  app.setStatus({ rows: null, exact, notes, ms });
}

/** What the pane can be exported as, the first unless told. */
export function offerPictures(app: () => App, pictures: () => readonly ShownPicture[]): void {
  $effect(() => {
    const offered = pictures();
    const { desk, pane } = app();
    if (offered.length === 0) return;
    untrack(() => desk.pictures.set(pane, offered));
    return () => {
      if (desk.pictures.get(pane) === offered) desk.pictures.delete(pane);
    };
  });
}
