// What every view besides the timeline gets from its pane.

import type { App } from '../../state/app.svelte';
import type { How } from '../../state/history';
import type { PaneOptions } from '../../state/workspace';

export interface ViewProps {
  /** The state as the pane sees it: with its own window and lens if it is locked. */
  readonly app: App;
  readonly options: PaneOptions;
  /** A quiet change unless told: undo does not take it back. */
  readonly setOptions: (part: Partial<PaneOptions>, how?: How) => void;
  readonly isLocked: boolean;
  /** From now on the window and the lens are those of the pane alone. */
  readonly lock: () => void;
}
