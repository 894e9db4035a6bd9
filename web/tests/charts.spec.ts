// Matrix, charts and flame graph beside the timeline, and pictures as files.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  asked,
  clickTitled,
  middleOf,
  open,
  rest,
  right,
  rightPicture,
  session,
  start,
  timeline,
  visit,
} from './panes';
import { exported } from './session';

it('every chart is drawn, in both themes', async () => {
  await start({ dark: true });
  await visit.page.getByRole('tab', { name: 'Charts' }).click();
  for (const name of ['Bars', 'Histogram', 'Concurrency', 'Efficiency', 'Pie']) {
    await visit.page.getByRole('button', { name, exact: true }).click();
    await rest();
    expect(asked.has(name.toLowerCase())).toBe(true);
    expect(await visit.page.getByRole('alert').count()).toBe(0);
  }
  const pictures = process.env['ONCA_PICTURES'] ?? session.folder.path;
  await visit.page.screenshot({ path: `${pictures}/charts.png` });
});

it('views that only the server knows are charts with the options that it tells', async () => {
  await start();
  await visit.page.getByRole('tab', { name: 'Charts' }).click();
  await visit.page.getByRole('button', { name: 'Durations', exact: true }).click();
  await visit.page.getByLabel('value', { exact: true }).fill('MPI_Wait');
  await visit.page.getByLabel('value', { exact: true }).press('Tab');
  await visit.page.getByLabel('duration scale').selectOption('linear');
  await rest();
  expect(asked.get('durations')).toMatchObject({ value: 'MPI_Wait', duration_scale: 'linear' });
  const pictures = process.env['ONCA_PICTURES'] ?? session.folder.path;
  await visit.page.screenshot({ path: `${pictures}/durations.png` });
  await visit.page.getByRole('button', { name: 'Traffic', exact: true }).click();
  await visit.page.getByLabel('slices').fill('50');
  await visit.page.getByLabel('slices').press('Tab');
  await rest();
  expect(asked.get('traffic')).toMatchObject({ slices: 50 });
  await visit.page.screenshot({ path: `${pictures}/traffic.png` });
  expect(await visit.page.getByRole('alert').count()).toBe(0);
  await visit.page.getByRole('button', { name: 'Export', exact: true }).click();
  const { command, saved, drawn } = await exported(visit, session.folder);
  expect(command).toMatch(/onca render traffic .*--slices=50/);
  expect(saved.equals(drawn)).toBe(true);
});

it('an address says by name what cannot be read', async () => {
  await start();
  // The message goes away by itself, perhaps before everything is drawn.
  const told = visit.page.getByText('The address has what cannot be read: colour, views.size.');
  const views = '["timeline", {"view": "charts", "chart": "pie", "size": 3}]';
  await Promise.all([told.waitFor(), session.show(visit, 'demo', views, '&colour=red')]);
});

it('a container selected in bars is selected in the timeline and in a treemap', async () => {
  await open('{"view": "charts", "chart": "bars", "depth": 2}');
  const [x, y] = await middleOf(rightPicture(), 0.5, 0.5);
  await visit.page.mouse.click(x, y);
  const nodes = await visit.addressPart('nodes');
  expect(nodes).toMatch(/^\d+$/);
  expect(await timeline().locator('[role="treeitem"][aria-selected="true"]').count()).toBe(1);
  await right().getByRole('tab', { name: 'Treemap' }).click();
  await rest();
  expect(await visit.addressPart('nodes')).toBe(nodes);
});

it('durations marked in a histogram light their states in the timeline', async () => {
  await open('{"view": "charts", "chart": "histogram"}', '&window=2500000000-3000000000');
  const [x, y] = await middleOf(rightPicture(), 0.3, 0.8);
  await visit.page.mouse.move(x, y);
  await visit.page.mouse.down();
  await visit.page.mouse.move(x + 150, y, { steps: 4 });
  await visit.page.mouse.up();
  expect(await visit.addressPart('lasting')).toMatch(/^\d+-\d+$/);
  const lit = timeline().getByRole('status');
  await lit.waitFor();
  expect(await lit.innerText()).toMatch(/[1-9][\d,]* states? lit by duration/);
  await lit.getByRole('button').click();
  expect(await visit.addressPart('lasting')).toBeNull();
});

it('the values that count as useful can be chosen', async () => {
  await open('{"view": "charts", "chart": "efficiency"}');
  const useful = right().getByRole('group', { name: 'Useful values' });
  const chosen = useful.getByRole('button', { pressed: true });
  expect(await chosen.allInnerTexts()).toEqual(['computing']);
  await useful.getByRole('button', { name: 'MPI_Wait' }).click();
  await rest();
  expect(await chosen.count()).toBe(2);
  expect((asked.get('efficiency') as { lens?: { roles?: object } }).lens?.roles).toEqual({
    MPI_Wait: 'compute',
  });
  await useful.getByRole('button', { name: 'By role' }).click();
  await rest();
  expect(await chosen.count()).toBe(1);
});

it('a pair of the matrix shows its links in the timeline', async () => {
  await open('{"view": "matrix", "depth": 2}', '&links=all');
  await clickTitled(/^cluster-1 to cluster-2/, 0.2);
  const nodes = (await visit.addressPart('nodes'))?.split('.').map(BigInt);
  expect(nodes).toHaveLength(2);
  expect(await visit.addressPart('links')).toBe('selection');
  await rest();
  // Only the links from the one to the other.
  const [from = 0n, to = 0n] = nodes ?? [];
  const pair = ((5n << 60n) | (from << 32n) | to).toString();
  expect(asked.get('timeline')?.links).toEqual({ of: [pair], nodes: [], few: 300 });
  await clickTitled(/^cluster-3\s*receives/, 0.8);
  expect((await visit.addressPart('nodes'))?.split('.')).toHaveLength(1);
});

it('a click goes into a flame graph and out again, and the table has the same paths', async () => {
  await open('"flame"');
  await clickTitled(/^MPI_Allreduce/);
  await rest();
  expect(asked.get('flame')?.path).toEqual(['MPI_Allreduce']);
  expect(await visit.addressPart('value')).toMatch(/^\d+$/);
  // Where most of the view would be empty, the table is there without being asked for.
  await right().getByRole('button', { name: 'Call tree', pressed: true }).waitFor();
  await right().getByRole('gridcell', { name: 'MPI_Wait' }).first().click();
  await rest();
  expect(asked.get('flame')?.path).toEqual(['MPI_Allreduce', 'MPI_Wait']);
  await right().getByRole('button', { name: 'Everything' }).click();
  await rest();
  expect(asked.get('flame')?.path).toBeUndefined();
});

it('a report and every view are files, with their command', async () => {
  await open('{"view": "treemap", "depth": 2}', '&window=2500000000-2600000000');
  await rightPicture().click();
  await visit.page.getByRole('button', { name: 'Export', exact: true }).click();
  const dialog = visit.page.getByRole('dialog');
  await dialog.getByText(/onca render treemap .*--depth=2/).waitFor();
  const { saved, drawn } = await exported(visit, session.folder);
  expect(saved.equals(drawn)).toBe(true);
  await dialog.getByLabel('What').selectOption('page');
  await dialog.getByText(/onca render page /).waitFor();
  const [report] = await Promise.all([
    visit.page.waitForEvent('download', { timeout: 250_000 }),
    dialog.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  expect(readFileSync(await report.path(), 'utf8')).toContain('<h2>Efficiency</h2>');
}, 300_000);
