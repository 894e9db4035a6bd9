// Starts the page.

import { mount } from 'svelte';
import App from './App.svelte';
import { Client } from './api/client';
import { Desk } from './state/desk.svelte';
import { firstPictureSeen } from './state/first_plot';
import { Navigation } from './state/navigation.svelte';
import { TraceSession } from './state/trace_session.svelte';
import { Workspace } from './state/workspace.svelte';
import './widgets/fonts.css';
import './widgets/theme.css';
import './widgets/base.css';
import './widgets/first.css';

const target = document.getElementById('app');
if (target === null) throw new Error('the page has no element for the app');

const session: TraceSession = new TraceSession(new Client(() => session.serverChanged()));
const desk = new Desk();
const navigation = new Navigation(session, desk.notices);
const workspace = new Workspace(navigation);
// Drawn before the page: making that keeps the browser from drawing.
await firstPictureSeen();
mount(App, { target, props: { session, navigation, workspace, desk } });
desk.followTheme();
void navigation.start(globalThis.oncaStart).then(async () => {
  if (session.server?.traces.length === 0) desk.openDialog('open');
  const [pane] = workspace.panes;
  if (session.server?.measured !== true || pane === undefined) return;
  const { measure } = await import('./measure');
  await measure(pane);
});
