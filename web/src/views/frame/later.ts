// What stands around the views and is loaded when it is shown.

import type { Component } from 'svelte';
import type { PageParts } from '../../state/parts';
import type { PanelName } from '../../state/types';
import { Later } from '../../widgets/later.svelte';

export type PanelProps = Omit<PageParts, 'workspace'>;
export type LaterPanel = Later<Component<PanelProps>>;

export const LATER_PANELS: Readonly<Record<PanelName, LaterPanel>> = {
  legend: new Later(() => import('../legend/LegendPanel.svelte')),
  statistics: new Later(() => import('../statistics/StatisticsPanel.svelte')),
  containers: new Later(() => import('../containers/ContainersPanel.svelte')),
  search: new Later(() => import('../search/SearchPanel.svelte')),
  marks: new Later(() => import('../marks/MarksPanel.svelte')),
  source: new Later(() => import('../source/SourcePanel.svelte')),
  sql: new Later(() => import('../sql/SqlPanel.svelte')),
  problems: new Later(() => import('../problems/ProblemsPanel.svelte')),
};

export const INSPECTOR = new Later(() => import('../inspector/Inspector.svelte'));
export const PALETTE = new Later(() => import('../palette/CommandPalette.svelte'));
export const HELP = new Later(() => import('../help/HelpDialog.svelte'));
export const LENS = new Later(() => import('../legend/LensDialog.svelte'));
export const OPEN = new Later(() => import('../open/OpenDialog.svelte'));
export const SHARE = new Later(() => import('../share/ShareDialog.svelte'));
export const EXPORT = new Later(() => import('../export/ExportDialog.svelte'));
export const LIVE = new Later(() => import('../live/LiveBar.svelte'));
export const BESIDE = new Later(() => import('../beside/Beside.svelte'));
export const MENU = new Later(() => import('../menu/ContextMenu.svelte'));
