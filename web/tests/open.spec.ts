// Traces that are opened from the page: folders that were allowed, dropped files.

import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { seriousFaults, type Visit } from './browser';
import { run, Server } from './onca';
import { Session } from './session';

const LIMIT = 2 << 20;

const session = new Session(async (folder) => {
  mkdirSync(folder.file('traces/deep'), { recursive: true });
  run(['generate', 'threads', '--seed', '1', '-o', folder.file('traces/first.paje')]);
  run(['generate', 'threads', '--seed', '2', '-o', folder.file('traces/deep/second.paje')]);
  run(['generate', 'threads', '--seed', '3', '-o', folder.file('outside.paje')]);
  symlinkSync(folder.file('outside.paje'), folder.file('traces/link.paje'));
  folder.write('traces/notes.txt', 'no trace');
  const allowed = ['--allow', folder.file('traces'), '--upload-limit', String(LIMIT)];
  const cache = (name: string) => ({ XDG_CACHE_HOME: folder.file(name) });
  return {
    one: await Server.start([folder.file('traces/first.paje'), ...allowed], cache('one')),
    none: await Server.start(allowed, cache('none')),
  };
});

function dialogOf({ page }: { page: Page }) {
  return page.getByRole('dialog', { name: 'Open a trace' });
}
const shownTrace = ({ page }: Visit) =>
  page
    .getByRole('combobox', { name: 'Trace', exact: true })
    .locator('option:checked')
    .textContent();

/** Drops a file on the page, as a file manager does. */
async function drop({ page }: { page: Page }, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([fileName, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content ?? ''], fileName ?? ''));
      return transfer;
    },
    [name, text],
  );
  await page.dispatchEvent('body', 'dragover', { dataTransfer: data });
  await page.dispatchEvent('body', 'drop', { dataTransfer: data });
}

it('a second trace is found in its folder and opened beside the first, by keys alone', async () => {
  const visit = await session.visit('one');
  const { page } = visit;
  await page.keyboard.press('Control+o');
  const dialog = dialogOf(visit);
  const list = dialog.getByRole('list', { name: 'Traces and folders' });
  await list.getByRole('button', { name: 'first.paje' }).waitFor();
  // Neither what leads out of the folder nor what is no trace.
  expect(await list.getByRole('button').locator('span:first-child').allInnerTexts()).toEqual([
    'deep/',
    'first.paje',
  ]);
  expect(await seriousFaults(visit)).toEqual([]);
  await list.getByRole('button', { name: 'deep/' }).press('Enter');
  await list.getByRole('button', { name: 'second.paje' }).press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => shownTrace(visit)).toBe('second.paje');
  await visit.ready();
  expect(await visit.addressPart('trace')).toBe('2');
  // What was opened is recent now.
  await page.keyboard.press('Control+o');
  const recent = dialog.getByRole('list', { name: 'Recent traces' }).getByRole('button');
  await expect.poll(() => recent.allInnerTexts()).toEqual(['deep/second.paje', 'first.paje']);
  await recent.last().press('Enter');
  await expect.poll(() => shownTrace(visit)).toBe('first.paje');
});

it('a dropped file is opened from a private folder, and removed', async () => {
  const visit = await session.visit('one');
  const { page } = visit;
  await drop(visit, 'dropped run.paje', readFileSync(session.folder.file('outside.paje'), 'utf8'));
  await expect.poll(() => shownTrace(visit)).toBe('dropped run.paje');
  await visit.ready();
  const kept = session.folder.file('one/onca/dropped');
  expect(statSync(kept).mode & 0o777).toBe(0o700);
  expect(readdirSync(kept)).toHaveLength(1);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  const dialog = dialogOf(visit);
  await dialog.getByRole('button', { name: 'Remove dropped run.paje' }).click();
  await dialog.getByRole('list', { name: 'Dropped files' }).waitFor({ state: 'detached' });
  expect(readdirSync(kept)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect
    .poll(() =>
      page.getByRole('combobox', { name: 'Trace', exact: true }).locator('option').allInnerTexts(),
    )
    .not.toContain('dropped run.paje');
  await visit.ready();
});

it('a file that is too long is refused before it is sent', async () => {
  const visit = await session.visit('one');
  await drop(visit, 'long.paje', 'x'.repeat(LIMIT + 1));
  const dialog = dialogOf(visit);
  await dialog
    .getByRole('alert')
    .getByText(/2\.0 MiB are too many: .* --upload-limit/)
    .waitFor();
  expect(visit.requests.filter((address) => address.includes('/api/drops/'))).toEqual([]);
  await dialog.getByText('2.0 MiB at most together', { exact: false }).waitFor();
});

it('without any trace the page asks for one', async () => {
  const browser = await session.visit('one');
  const page = await browser.context.newPage();
  await page.goto(session.server('none').address);
  const dialog = dialogOf({ page });
  await dialog.getByRole('list', { name: 'Traces and folders' }).waitFor();
  await page.getByText('No trace is open').waitFor();
  await dialog.getByRole('button', { name: 'first.paje' }).first().click();
  await page.locator('[role="treeitem"]').first().waitFor();
  expect(await page.title()).toContain('first.paje');
});
