// Starts the page.

import { mount } from 'svelte';
import Page from './App.svelte';
import { Client } from './api/client';
import { App } from './state/app.svelte';
import { firstPictureSeen } from './state/first_plot';
import './widgets/theme.css';
import './widgets/base.css';
import './widgets/first.css';

const target = document.getElementById('app');
if (target === null) throw new Error('the page has no element for the app');

const client = new Client(() => app.serverChanged());
const app: App = new App(client);
// Drawn before the page: making that keeps the browser from drawing.
await firstPictureSeen();
mount(Page, { target, props: { app } });
void app.start(globalThis.oncaStart).then(async () => {
  if (app.session?.measured !== true) return;
  const { measure } = await import('./measure');
  await measure(app, client);
});
