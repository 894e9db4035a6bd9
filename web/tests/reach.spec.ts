// Everybody can reach everything: no violation of axe anywhere, names of what one works with, fingers.

import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { faults, middleOf, pass } from './browser';
import { run, Server } from './onca';
import { answered, Session } from './session';

const session = new Session(async (folder) => {
  run(['demo', '--no-open', '-o', folder.file('demo.paje')]);
  mkdirSync(folder.file('more'));
  return { demo: await Server.start([folder.file('demo.paje'), '--allow', folder.file('more')]) };
});

it.each([
  ['light', false],
  ['dark', true],
])('axe finds nothing in any view, panel or dialog: %s', async (_, dark) => {
  const visit = await session.visit('demo', { dark });
  const { page } = visit;
  const found: string[] = [];
  const check = async (where: string) => {
    await answered(visit);
    found.push(...(await faults(visit)).map((fault) => `${where}: ${fault}`));
  };
  const tabs = page
    .getByRole('tablist', { name: /Views?/ })
    .first()
    .getByRole('tab');
  for (const name of await tabs.allInnerTexts()) {
    await tabs.filter({ hasText: name }).first().click();
    await check(name);
  }
  await tabs.filter({ hasText: 'Charts' }).first().click();
  const charts = page.getByRole('group', { name: 'Chart' }).getByRole('button');
  for (const name of await charts.allInnerTexts()) {
    await charts.filter({ hasText: name }).first().click();
    await check(name);
  }
  await tabs.filter({ hasText: 'Timeline' }).first().click();
  for (const key of ['1', '2', '3', '4', '5', '6', '7', '8']) {
    await page.keyboard.press(key);
    await pass(page, 150);
    await check(`panel ${key}`);
  }
  for (const key of ['?', 'Control+k', 'Control+o']) {
    // A field of a panel that has just been opened would take the key.
    await page.getByRole('application').first().focus();
    await page.keyboard.press(key);
    await page.getByRole('dialog').first().waitFor();
    await check(`dialog ${key}`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
  }
  for (const name of ['Share', 'Export', 'Report']) {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('dialog').first().waitFor();
    await check(name);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
  }
  expect(found).toEqual([]);
});

it('what one works with has a role and a name', async () => {
  const visit = await session.visit('demo', { view: 'rows=18' });
  const { page } = visit;
  const named = [
    ['application', /timeline/i],
    ['tree', 'Rows'],
    ['treeitem', /rank-0/],
    ['complementary', 'Inspector'],
    ['region', 'Panels'],
    ['region', 'At a glance'],
    ['region', 'What costs time'],
    ['tab', 'Overview'],
    ['tab', 'Statistics'],
    ['button', 'Share'],
    ['button', 'Export'],
    ['button', 'Reading size'],
    ['separator', 'Height of the panels'],
    ['separator', 'Width of the inspector'],
    ['searchbox', 'Find a value'],
  ] as const;
  for (const [role, name] of named) {
    await page.getByRole(role, { name }).first().waitFor();
  }
});

it('a finger selects a state, and opens what stands out again', async () => {
  const visit = await session.visit('demo', { touch: true, view: 'rows=18' });
  const row = visit.page.getByRole('treeitem', { name: 'rank-0', exact: true }).first();
  const name = await row.boundingBox();
  const [x] = await middleOf(visit.plot, 0.5);
  if (name === null) throw new Error('no row');
  await visit.page.touchscreen.tap(x, name.y + name.height / 2);
  await visit.inspector.getByText('rank-0').first().waitFor();
  const box = await visit.page.getByRole('button', { name: 'Share', exact: true }).boundingBox();
  // WCAG 2.2 asks for 24 pixels.
  expect(box?.height).toBeGreaterThanOrEqual(24);
  expect(box?.width).toBeGreaterThanOrEqual(24);
});
