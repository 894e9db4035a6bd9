// The views that are loaded when they are opened: all but the timeline, which the page begins with.

import type { Component } from 'svelte';
import type { PaneView } from '../../state/arrangement';
import type { ViewParts } from '../../state/parts';
import { Later } from '../../widgets/later.svelte';

export type LaterView = Later<Component<ViewParts>>;

export const LATER_VIEWS: Readonly<Record<Exclude<PaneView, 'timeline'>, LaterView>> = {
  overview: new Later(() => import('../overview/OverviewView.svelte')),
  treemap: new Later(() => import('../treemap/TreemapView.svelte')),
  matrix: new Later(() => import('../matrix/MatrixView.svelte')),
  charts: new Later(() => import('../charts/ChartsView.svelte')),
  flame: new Later(() => import('../flame/FlameView.svelte')),
  phases: new Later(() => import('../phases/PhasesView.svelte')),
  graph: new Later(() => import('../graph/GraphView.svelte')),
  space: new Later(() => import('../space/SpaceView.svelte')),
  compare: new Later(() => import('../compare/CompareView.svelte')),
};

/** In the place of the views while there is no trace to see. */
export const PENDING = new Later(() => import('../timeline/TracePending.svelte'));
/** Above the views: it waits for the first picture anyway. */
export const MINIMAP = new Later(() => import('../timeline/Minimap.svelte'));
