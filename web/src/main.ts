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

async function start(): Promise<void> {
  const target = document.getElementById('app');
  if (target === null) throw new Error('there is no #app');

  const session: TraceSession = new TraceSession(new Client(() => session.serverChanged()));
  const desk = new Desk();
  // Beside another page, the history of the window belongs to that one.
  const beside = parent === window ? null : await import('./beside.svelte');
  const navigation = new Navigation(session, desk.notices, beside?.place);
  const workspace = new Workspace(navigation);
  // Drawn before the page: making that keeps the browser from drawing.
  await firstPictureSeen();
  mount(App, { target, props: { session, navigation, workspace, desk } });
  desk.followTheme();
  beside?.join({ session, navigation, desk });
  await navigation.start(globalThis.oncaStart);
  if (session.server?.traces.length === 0) desk.openDialog('open');
  const [pane] = workspace.panes;
  if (session.server?.measured !== true || pane === undefined) return;
  const { measure } = await import('./measure');
  await measure(pane);
}

// What is imported later may import this file's chunk, and would wait for it for ever.
void start();
