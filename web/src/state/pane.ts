// The state of the page as one pane sees it: a pane that is locked has a window and a lens of its
// own, all else it shares.

import type { Lens } from '../api/types';
import { within } from '../lib/window';
import type { App } from './app.svelte';
import { NOTHING_SELECTED, type Selection, type Window } from './types';
import { sameRows } from './view';
import { type Own, USUAL_OPTIONS } from './workspace';

export function appOfPane(app: App, place: number): App {
  const own = () => app.workspace.panes[place]?.own ?? null;
  const change = (part: Partial<Own>) => {
    const now = own();
    const pane = app.workspace.panes[place];
    if (now === null || pane === undefined) return;
    const options = { ...pane.options, unfolded: USUAL_OPTIONS.unfolded };
    app.setPane(place, { own: { ...now, ...part }, options });
  };
  // Rows are numbered through the lens: numbers of another lens mean other rows.
  const sharesRows = () => sameRows(own()?.lens ?? app.lens, app.lens);
  const seen = {
    pane: place,
    get window(): Window {
      return own()?.window ?? app.window;
    },
    get lens(): Lens {
      return own()?.lens ?? app.lens;
    },
    get selection(): Selection {
      if (sharesRows()) return app.selection;
      const { range, value } = app.selection;
      return { ...NOTHING_SELECTED, range, value };
    },
    select(part: Partial<Selection>): void {
      const { pick: _, nodes: __, ...anywhere } = part;
      app.select(sharesRows() ? part : anywhere);
    },
    setWindow(window: Window, how: 'gesture' | 'jump'): void {
      if (own() === null) app.setWindow(window, how);
      else change({ window: within(window, app.whole.to) });
    },
    zoomTo(from: number, to: number): void {
      this.setWindow({ from, to }, 'jump');
    },
    fit(): void {
      if (own() === null) app.fit();
      else change({ window: app.whole });
    },
    async setLens(lens: Lens): Promise<boolean> {
      if (own() === null) return app.setLens(lens);
      change({ lens });
      return true;
    },
  };
  return new Proxy(app, {
    get(target, name) {
      const source = name in seen ? seen : target;
      const value: unknown = Reflect.get(source, name, source);
      // Methods of the state need the state itself: a proxy has no private fields.
      return typeof value === 'function' ? value.bind(source) : value;
    },
  });
}
