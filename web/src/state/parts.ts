// The parts of the state by name. A component takes those that it needs: `Pick<PageParts, …>`.

import type { Desk } from './desk.svelte';
import type { Navigation } from './navigation.svelte';
import type { Pane } from './pane.svelte';
import type { TraceSession } from './trace_session.svelte';
import type { Workspace } from './workspace.svelte';

export interface PageParts {
  /** What the server told. */
  readonly session: TraceSession;
  /** What the person chose, for all panes. */
  readonly navigation: Navigation;
  readonly workspace: Workspace;
  readonly desk: Desk;
}

/** What a view gets from its pane. */
export interface ViewParts extends Omit<PageParts, 'workspace'> {
  /** Window, lens and selection as the pane sees them, and what the view in it is asked for. */
  readonly pane: Pane;
}
