// What the page does besides when it stands beside another one, in a frame of it: it keeps its steps
// itself and tells that page where it is.

import { isTyping } from './keys';
import { heard, type Told } from './state/beside';
import { OwnPlace } from './state/own_place';
import type { PageParts } from './state/parts';
import { lookTheSame, SameWindow } from './state/same_window.svelte';

const tell = (told: Told) => parent.postMessage(told, origin);

/** Unlike a cell of a notebook, it can be passed on alone, and other traces can be opened in it. */
class PlaceInFrame extends OwnPlace {
  override readonly isAddressed = true;
  override get address(): string {
    return `${origin}/#${this.fragment}`;
  }
}

export const place = new PlaceInFrame(location.hash.slice(1), (fragment) =>
  tell({ kind: 'fragment', fragment }),
);

export function join({
  session,
  navigation,
  desk,
}: Pick<PageParts, 'session' | 'navigation' | 'desk'>): void {
  const same = new SameWindow(navigation, (window) => tell({ kind: 'window', window }));
  lookTheSame(desk);
  $effect.root(() => {
    let trace = '';
    $effect(() => {
      if (!session.hasTrace) return;
      if (session.ownId === trace) return same.tell();
      trace = session.ownId;
      same.keep();
      tell({ kind: 'begun' });
    });
  });
  addEventListener('message', (event) => {
    const told = heard(parent, event);
    if (told?.kind === 'window') same.take(told.window);
  });
  addEventListener(
    'keydown',
    (event) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const isMeant = key.toLowerCase() === 'v' && !ctrlKey && !metaKey && !altKey;
      if (!isMeant || isTyping(target) || desk.dialog !== null) return;
      // Here the key would put a third page beside.
      event.stopImmediatePropagation();
      tell({ kind: 'leave' });
    },
    true,
  );
}
