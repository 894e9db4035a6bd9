// Asking about what is seen: inspecting, finding, marking, exporting, SQL.

import { beforeEach, expect, it } from 'vitest';
import { pass, type Visit } from './browser';
import { demoSession, exported } from './session';

const session = demoSession();
let visit: Visit;

beforeEach(async () => {
  // Rows of natural height, so that the ranks have their names.
  visit = await session.visit('demo', { view: 'rows=18' });
});

it('tells of all containers of a row that sums them up', async () => {
  await visit.page.goto(`${session.server('demo').origin}/#rows=18&depth=3`);
  await visit.page.getByRole('treeitem', { name: 'Expand machine-2' }).waitFor();
  // States are above the variable of the machine.
  await visit.clickRow('machine-2', 0.6, 0.15);
  await visit.inspector.getByText('containers', { exact: true }).waitFor();
  await visit.inspector.getByText(/^4: rank-\d+(, rank-\d+){3}$/).waitFor();
  expect(await visit.inspector.getByText('aggregate').count()).toBe(1);
});

it('inspects what is clicked and tells what belongs to it', async () => {
  await visit.plot.focus();
  for (let i = 0; i < 24; i++) await visit.page.keyboard.press('w');
  await pass(visit.page, 1200);
  await visit.clickRow(await visit.leafName(), 0.5);
  await visit.inspector.getByText('Where').waitFor();
  expect(await visit.addressPart('pick')).toMatch(/^\d+$/);
  await visit.page.getByRole('tooltip').waitFor();
  const before = await visit.addressPart('pick');
  await visit.plot.focus();
  await visit.page.keyboard.press(']');
  await pass(visit.page, 500);
  expect(await visit.addressPart('pick')).not.toBe(before);
});

it('finds by name and shows what was found', async () => {
  await visit.page.keyboard.press('/');
  await visit.page.keyboard.type('MPI_*');
  await visit.page.keyboard.press('Enter');
  const results = visit.page.getByRole('grid', { name: 'Search results' });
  await results.getByRole('row').nth(1).click();
  await visit.inspector.getByText('Where').waitFor();
  expect(await visit.addressPart('pick')).toMatch(/^\d+$/);
});

it('goes to a container from the palette', async () => {
  const name = await visit.leafName();
  await visit.page.keyboard.press('Control+k');
  await visit.page.keyboard.type(name);
  const found = visit.page.getByRole('listbox', { name: 'What was found' }).getByRole('option');
  await found.filter({ hasText: name }).first().click();
  await visit.inspector.getByText('container', { exact: true }).waitFor();
});

it('keeps marks with their notes', async () => {
  const box = await visit.plot.boundingBox();
  if (box === null) throw new Error('no plot');
  await visit.plot.focus();
  for (const share of [0.25, 0.75]) {
    await visit.page.mouse.move(box.x + box.width * share, box.y + 40);
    await visit.page.keyboard.press('m');
  }
  await visit.tab('Marks');
  await visit.page.getByLabel('Note of Mark 1').fill('here it begins');
  await visit.page.getByText(/^Δ \+/).waitFor();
  await pass(visit.page, 1500);
  const again = await session.visit('demo');
  await again.tab('Marks');
  expect(await again.page.getByLabel('Note of Mark 1').inputValue()).toBe('here it begins');
  await again.page.getByRole('button', { name: 'Delete Mark 2' }).click();
  await again.page.getByRole('button', { name: 'Delete Mark 1' }).click();
  await pass(again.page, 1000);
});

it('exports what the command draws', async () => {
  await visit.plot.focus();
  await visit.page.keyboard.press('w');
  await pass(visit.page, 600);
  await visit.page.getByRole('button', { name: 'Export' }).click();
  const { command, saved, drawn } = await exported(visit, session.folder);
  expect(command).toMatch(/^onca render timeline /);
  expect(saved.equals(drawn)).toBe(true);
});

it('answers SQL and shows a row of the answer', async () => {
  await visit.tab('SQL');
  await visit.page
    .getByRole('textbox', { name: 'SQL' })
    .fill('SELECT * FROM states ORDER BY tick_start LIMIT 5');
  await visit.page.getByRole('button', { name: /^Run/ }).click();
  const answer = visit.page.getByRole('grid', { name: 'Answer' });
  await answer.getByRole('row').nth(2).click();
  await visit.inspector.getByText('Where').waitFor();
  await visit.page.getByRole('textbox', { name: 'SQL' }).fill('SELECT nothing FROM nowhere');
  await visit.page.keyboard.press('Control+Enter');
  await visit.page.getByRole('alert').waitFor();
  visit.complaints.splice(0);
});
