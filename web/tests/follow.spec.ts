// From one thing to the next with the keyboard alone: on the row, in cause, on the critical path, by length.

import { expect, it } from 'vitest';
import type { Visit } from './browser';
import { Server } from './onca';
import { answered, Session } from './session';
import { lateSenderTrace } from './traces';

const session = new Session(async (folder) => ({
  late: await Server.start([folder.write('late.paje', lateSenderTrace())]),
}));

/** What the inspector is about: kind, name, where. */
async function about(visit: Visit): Promise<string> {
  const title = await visit.inspector.locator('header').innerText();
  const where = await visit.inspector.locator('dd').first().innerText();
  return `${title} ${where}`.replaceAll(/\s+/g, ' ').trim();
}

const press = ({ page }: Visit, ...keys: string[]) =>
  keys.reduce(async (before, key) => {
    await before;
    await page.keyboard.press(key);
  }, Promise.resolve());

/** Goes to the names of rows with Tab alone, and chooses one. */
async function chooseRow(visit: Visit, down: number): Promise<void> {
  const isThere = () =>
    visit.page.evaluate(() => document.activeElement?.getAttribute('role') === 'tree');
  for (let tabs = 0; tabs < 80 && !(await isThere()); tabs += 1) await press(visit, 'Tab');
  expect(await isThere()).toBe(true);
  await press(visit, ...Array.from({ length: down }, () => 'ArrowDown'), 'Enter');
}

it('a late receive leads to its cause and back, a message to both its states', async () => {
  const visit = await session.visit('late', { view: 'rows=18' });
  await answered(visit);
  // The root, rank 0, rank 1.
  const names = await visit.page.getByRole('treeitem').allInnerTexts();
  await chooseRow(visit, names.findIndex((name) => name.includes('rank 1')) + 1);
  const expected = (text: string) => expect.poll(() => about(visit)).toContain(text);
  await visit.inspector.getByRole('heading', { name: 'rank 1' }).waitFor();
  await press(visit, ']');
  await expected('computing state /rank 1');
  await press(visit, ']');
  await expected('MPI_Recv state /rank 1');
  // It waited because rank 0 computed until 3 s.
  await press(visit, 'p');
  await expected('computing state /rank 0');
  const folder = process.env['ONCA_PICTURES'] ?? session.folder.path;
  await visit.page.screenshot({ path: `${folder}/follow.png` });
  await press(visit, 'n');
  await expected('MPI_Recv state /rank 1');
  await press(visit, 'p', ']');
  await expected('MPI_Send state /rank 0');
  // Along the message, and from it to both states.
  await press(visit, 'n');
  await expected('data link /rank 0');
  await press(visit, 'n');
  await expected('MPI_Recv state /rank 1');
  await visit.page.goBack();
  await expected('data link /rank 0');
  await visit.inspector.getByRole('button', { name: /from \/rank 0 · MPI_Send/ }).press('Enter');
  await expected('MPI_Send state /rank 0');
  await visit.inspector.getByRole('button', { name: /data/ }).press('Enter');
  await expected('data link /rank 0');
  await press(visit, 'p');
  await expected('MPI_Send state /rank 0');
});

it('the critical path is followed step by step, and tells its ends', async () => {
  const visit = await session.visit('late', { view: 'rows=18' });
  await answered(visit);
  await visit.plot.focus();
  const expected = (text: string) => expect.poll(() => about(visit)).toContain(text);
  await press(visit, 'j');
  // Rank 0 computes and sends; then rank 1 has it and computes until the end.
  await expected('state /rank 0');
  expect(await visit.addressPart('causes')).toBe('path');
  await press(visit, 'k');
  await visit.page.getByText('The critical path begins here').waitFor();
  await press(visit, 'j');
  await expected('state /rank 1');
  await press(visit, 'k');
  await expected('state /rank 0');
});

it('lengths lead from the longest to the shortest', async () => {
  const visit = await session.visit('late', { view: 'rows=18' });
  await answered(visit);
  await visit.clickRow('rank 1', 0.05);
  const duration = () => visit.inspector.locator('dt:text-is("Duration") + dd').innerText();
  // It computes for 1 s here; elsewhere for 2 s, and for 3 s twice.
  await expect.poll(duration).toBe('1.000 s');
  await press(visit, 'Shift+L');
  await expect.poll(duration).toBe('2.000 s');
  await press(visit, 'Shift+L');
  await expect.poll(duration).toBe('3.000 s');
  const first = await about(visit);
  await press(visit, 'Shift+L');
  await expect.poll(() => about(visit)).not.toBe(first);
  await expect.poll(duration).toBe('3.000 s');
  await press(visit, 'Shift+L');
  await visit.page.getByText('None is longer').waitFor();
  await press(visit, 'l', 'l');
  await expect.poll(duration).toBe('2.000 s');
});

it('the help and the palette tell the keys', async () => {
  const visit = await session.visit('late');
  await press(visit, '?');
  const help = visit.page.getByRole('dialog');
  await help.getByText('Follow', { exact: true }).waitFor();
  await help.getByText('previous, next step of the critical path').waitFor();
  await press(visit, 'Escape');
  await help.waitFor({ state: 'hidden' });
  await press(visit, 'Control+k');
  await visit.page.keyboard.type('critical path');
  const found = visit.page.getByRole('listbox', { name: 'What was found' }).getByRole('option');
  await found.filter({ hasText: 'Next step of the critical path' }).first().waitFor();
});
