// What views do with their answers, whatever these are: they say that one is awaited, and let it be
// exported.

import { untrack } from 'svelte';
import type { ShownPicture } from '../../state/desk.svelte';
import type { Pane } from '../../state/pane.svelte';

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

/** The pane can be exported as these; the first is offered first. */
export function offerPictures(pane: Pane, pictures: () => readonly ShownPicture[]): void {
  $effect(() => {
    const offered = pictures();
    if (offered.length === 0) return;
    untrack(() => {
      pane.pictures = offered;
    });
    return () => {
      if (pane.pictures === offered) pane.pictures = [];
    };
  });
}
