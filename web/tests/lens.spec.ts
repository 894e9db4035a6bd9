// What is hidden, grouped and filtered: the lens.

import { beforeEach, expect, it } from 'vitest';
import { pass, type Visit } from './browser';
import { answered, demoSession } from './session';

const session = demoSession();
let visit: Visit;

beforeEach(async () => {
  // Rows of natural height, so that the ranks have their names.
  visit = await session.visit('demo', { view: 'rows=18' });
});

it('hides values, shows only one, and resets the lens', async () => {
  // Values change their places while their times come in.
  await answered(visit);
  const first = visit.page.getByRole('button', { name: /^Hide / }).first();
  const name = ((await first.getAttribute('aria-label')) ?? '').replace('Hide ', '');
  await visit.page.getByRole('button', { name: `Hide ${name}`, exact: true }).click();
  await visit.page.getByText('1 hidden').waitFor();
  await expect.poll(() => visit.addressPart('lens')).toMatch(/^z\./);
  await visit.page.getByRole('button', { name: `Show only ${name}`, exact: true }).click();
  await visit.page.getByText(`only values: ${name}`).waitFor();
  await visit.page.getByRole('button', { name: 'Reset the lens' }).click();
  await visit.page.getByText(`only values: ${name}`).waitFor({ state: 'detached' });
  await expect.poll(() => visit.addressPart('lens')).toBeNull();
});

it('groups rows that are selected, and ungroups them', async () => {
  const rows = await visit.leaves();
  await rows.nth(0).click();
  await rows.nth(1).click({ modifiers: ['Shift'] });
  await visit.plot.focus();
  await visit.page.keyboard.press('g');
  await visit.page.getByRole('treeitem', { name: 'Group 1' }).first().waitFor();
  await visit.page.getByRole('treeitem', { name: 'Group 1' }).first().click({ button: 'right' });
  await visit.page.getByRole('menuitem', { name: 'Ungroup Group 1' }).click();
  await visit.page
    .getByRole('treeitem', { name: 'Group 1' })
    .first()
    .waitFor({ state: 'detached' });
});

it('hides the selected rows and the value of the selected state with H', async () => {
  const rows = await visit.leaves();
  const name = (await rows.nth(1).locator('.name').textContent()) ?? '';
  await rows.nth(1).click();
  await visit.plot.focus();
  await visit.page.keyboard.press('h');
  await visit.page.getByRole('treeitem', { name, exact: true }).waitFor({ state: 'detached' });
  await visit.page.keyboard.press('Control+z');
  await visit.page.getByRole('treeitem', { name, exact: true }).waitFor();
  await visit.plot.focus();
  for (let i = 0; i < 24; i++) await visit.page.keyboard.press('w');
  await pass(visit.page, 1200);
  await visit.clickRow(name, 0.5);
  await visit.inspector.locator('header').getByText('state', { exact: true }).waitFor();
  const state = (await visit.inspector.locator('.title').textContent())?.trim() ?? '';
  await visit.plot.focus();
  await visit.page.keyboard.press('h');
  await visit.page.getByText('1 hidden').waitFor();
  await visit.page.getByRole('button', { name: `Show ${state}`, exact: true }).waitFor();
});

it('filters rows by a pattern and says why one is refused', async () => {
  const leaf = await visit.leafName();
  await visit.page.getByLabel('Pattern', { exact: true }).fill(leaf);
  await visit.page.getByRole('button', { name: 'Show only', exact: true }).click();
  await visit.page.getByText(`only rows: ${leaf}`).waitFor();
  const leaves = visit.page.locator('[role="treeitem"]:not([aria-expanded])');
  await expect.poll(() => leaves.count()).toBe(1);
  await visit.page.getByLabel('Pattern', { exact: true }).fill('no such row');
  await visit.page.getByRole('button', { name: 'Hide', exact: true }).click();
  await visit.page.getByRole('status').getByText('no such row').waitFor();
  // The browser tells of the refused request on its console; that is no fault of the page.
  visit.complaints.splice(0);
});

it('keeps a long lens beside the store, and steps over a reload', async () => {
  const patterns = Array.from(
    { length: 400 },
    (_, i) => `${(i * 7919) % 10007}x${(i * 104729) % 99991}*`,
  );
  const lens = JSON.stringify({ version: 1, select: { values: { hide: patterns } } });
  await visit.page.getByRole('button', { name: 'Lens as text' }).click();
  await visit.page.getByRole('textbox', { name: 'Lens' }).fill(lens);
  await visit.page.getByRole('button', { name: 'Use this lens' }).click();
  await visit.page.getByText(`without values: ${patterns[399]}`).waitFor();
  await expect.poll(() => visit.addressPart('lens')).toMatch(/^h\.[0-9a-f]{64}$/);
  await visit.page.reload();
  await visit.page.getByText(`without values: ${patterns[399]}`).waitFor();
  await visit.page.keyboard.press('Control+z');
  await visit.page.getByText(`without values: ${patterns[399]}`).waitFor({ state: 'detached' });
});
