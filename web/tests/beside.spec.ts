// Two traces beside each other in one window, each in a page of its own.

import type { Frame } from 'playwright-core';
import { expect, it } from 'vitest';
import { pass, seriousFaults, seriousFaultsOf, type Visit, windowText } from './browser';
import { run, Server } from './onca';
import { Session } from './session';
import { flatTrace, linkTrace } from './traces';

const session = new Session(async (folder) => {
  run(['generate', 'threads', '--seed', '1', '-o', folder.file('more.paje')]);
  // Both last 4 seconds.
  const traces = [
    folder.write('link.paje', linkTrace()),
    folder.write('flat.paje', flatTrace(30)),
    folder.write('short.paje', linkTrace().replaceAll(/^(7|8|3|5) [0-9.]+/gm, halved)),
  ];
  const cache = { XDG_CACHE_HOME: folder.file('cache') };
  return { three: await Server.start([...traces, '--allow', folder.path], cache) };
});

/** A record at half of its time. */
function halved(record: string): string {
  const [event, time] = record.split(' ');
  return `${event} ${Number(time) / 2}`;
}

const frameOf = ({ page }: Visit) => page.frameLocator('iframe');
const section = ({ page }: Visit) => page.getByRole('region', { name: 'Beside' });
const link = (visit: Visit) => section(visit).getByRole('button', { name: 'Same window' });
const border = (visit: Visit) => section(visit).getByRole('separator');
const title = ({ page }: Visit) => page.locator('iframe').getAttribute('title');
const windows = async (visit: Visit) => [
  await windowText(visit.page),
  await windowText(frameOf(visit)),
];
const seen = (from: string, to: string) =>
  expect.stringMatching(new RegExp(`^window ${from}0* s – ${to}0* s `));
const focused = ({ page }: Visit) => page.evaluate(() => document.activeElement?.tagName);

async function ready(visit: Visit): Promise<void> {
  await frameOf(visit).locator('[role="treeitem"]').first().waitFor();
  await frameOf(visit).locator('[role="application"][aria-busy="false"]').first().waitFor();
  await pass(visit.page, 600);
}

async function openByKey(visit: Visit): Promise<void> {
  await visit.page.keyboard.press('v');
  await ready(visit);
}

/** Types a window where the focus is. */
async function enterWindow({ page }: Visit, from: string, to: string): Promise<void> {
  await page.keyboard.press('t');
  await page.keyboard.type(from);
  await page.keyboard.press('Tab');
  await page.keyboard.type(to);
  await page.keyboard.press('Enter');
}

it('shows another trace with a window, steps and a selection of its own, by keys alone', async () => {
  const visit = await session.visit('three');
  const { page } = visit;
  const steps = () => page.evaluate(() => history.length);
  await openByKey(visit);
  expect(await title(visit)).toBe('Beside: flat.paje');
  expect(await windows(visit)).toEqual([seen('0.', '4.'), seen('0.', '4.')]);
  const before = await steps();
  await page.keyboard.press('v');
  expect(await focused(visit)).toBe('IFRAME');
  await enterWindow(visit, '1', '2');
  await expect.poll(() => windows(visit)).toEqual([seen('0.', '4.'), seen('1.', '2.')]);
  await page.keyboard.press('v');
  await expect.poll(() => focused(visit)).toBe('BODY');
  await enterWindow(visit, '0.5', '3');
  await expect.poll(() => windows(visit)).toEqual([seen('0.5', '3.'), seen('1.', '2.')]);
  // The page in the frame leaves the history of the window alone.
  expect(await steps()).toBe(before + 1);
  await page.keyboard.press('v');
  await page.keyboard.press('Control+z');
  await expect.poll(() => windows(visit)).toEqual([seen('0.5', '3.'), seen('0.', '4.')]);
  await frameOf(visit).getByRole('treeitem', { name: 'rank 3', exact: true }).click();
  await expect.poll(() => visit.addressPart('beside')).toMatch(/nodes=\d/);
  expect(await visit.addressPart('nodes')).toBe(null);
  // The address of an earlier step leads to what is beside now.
  await page.keyboard.press('v');
  await expect.poll(() => focused(visit)).toBe('BODY');
  await page.keyboard.press('Control+z');
  await expect.poll(() => windows(visit)).toEqual([seen('0.', '4.'), seen('0.', '4.')]);
  await expect.poll(() => visit.addressPart('beside')).toMatch(/nodes=\d/);
});

it('keeps both at the same window if asked to, as far as the shorter trace reaches', async () => {
  const visit = await session.visit('three');
  const { page } = visit;
  await page.keyboard.press('Control+k');
  await page.keyboard.type('beside short');
  await page.keyboard.press('Enter');
  await ready(visit);
  expect(await title(visit)).toBe('Beside: short.paje');
  expect(await windows(visit)).toEqual([seen('0.', '4.'), seen('0.', '2.')]);
  await enterWindow(visit, '0.5', '1.5');
  await pass(page, 600);
  expect(await windows(visit)).toEqual([seen('0.5', '1.5'), seen('0.', '2.')]);
  expect(await link(visit).getAttribute('aria-pressed')).toBe('false');
  await link(visit).press('Enter');
  await expect.poll(() => windows(visit)).toEqual([seen('0.5', '1.5'), seen('0.5', '1.5')]);
  await page.keyboard.press('v');
  await enterWindow(visit, '1', '1.5');
  await expect.poll(() => windows(visit)).toEqual([seen('1.', '1.5'), seen('1.', '1.5')]);
  await page.keyboard.press('v');
  await expect.poll(() => focused(visit)).not.toBe('IFRAME');
  await enterWindow(visit, '3', '4');
  await expect.poll(() => windows(visit)).toEqual([seen('3.', '4.'), seen('1.', '2.')]);
  // What the shorter trace cannot show stays on the other side.
  await pass(page, 600);
  expect(await windows(visit)).toEqual([seen('3.', '4.'), seen('1.', '2.')]);
  await page.reload();
  await ready(visit);
  expect(await link(visit).getAttribute('aria-pressed')).toBe('true');
  expect(await windows(visit)).toEqual([seen('3.', '4.'), seen('1.', '2.')]);
  await page.keyboard.press('v');
  await enterWindow(visit, '0.5', '1');
  await expect.poll(() => windows(visit)).toEqual([seen('0.5', '1.'), seen('0.5', '1.')]);
  await link(visit).click();
  await page.keyboard.press('f');
  await expect.poll(() => windows(visit)).toEqual([seen('0.', '4.'), seen('0.5', '1.')]);
});

it('is restored by its address, and closed', async () => {
  const visit = await session.visit('three');
  const { page } = visit;
  await openByKey(visit);
  await page.keyboard.press('v');
  await enterWindow(visit, '1', '2');
  await border(visit).focus();
  for (let turn = 0; turn < 4; turn += 1) await page.keyboard.press('ArrowLeft');
  const width = await border(visit).getAttribute('aria-valuenow');
  expect(Number(width)).toBeLessThan(600);
  await expect.poll(() => visit.addressPart('beside')).toMatch(/window=1000000000-2000000000/);
  const there = await session.visit('three', { view: new URL(page.url()).hash.slice(1) });
  await ready(there);
  expect(await windows(there)).toEqual([seen('0.', '4.'), seen('1.', '2.')]);
  expect(await border(there).getAttribute('aria-valuenow')).toBe(width);
  expect(await there.page.getByRole('status').innerText()).toBe('');
  await section(there).getByRole('button', { name: 'Close the page beside' }).press('Enter');
  await section(there).waitFor({ state: 'detached' });
  expect(await there.addressPart('beside')).toBe(null);
  await there.page.goto(`${session.server('three').origin}/#beside=99+trace%3D2`);
  await there.page.getByText('The address has what cannot be read: beside.').waitFor();
  await expect.poll(() => there.addressPart('beside')).toBe(null);
  expect(await section(there).count()).toBe(0);
  // Steps back do not bring it again.
  await there.page.keyboard.press('w');
  await pass(there.page, 600);
  await there.page.keyboard.press('Control+z');
  await expect.poll(() => windowText(there.page)).toEqual(seen('0.', '4.'));
  expect(await section(there).count()).toBe(0);
});

it('stays while the trace on the left is another one', async () => {
  const visit = await session.visit('three');
  const { page } = visit;
  await openByKey(visit);
  await page.getByLabel('Trace', { exact: true }).first().selectOption({ label: 'short.paje' });
  await expect.poll(() => windows(visit)).toEqual([seen('0.', '2.'), seen('0.', '4.')]);
  expect(await visit.addressPart('beside')).toMatch(/trace=2/);
  await page.goBack();
  await expect.poll(() => windows(visit)).toEqual([seen('0.', '4.'), seen('0.', '4.')]);
  expect(await title(visit)).toBe('Beside: flat.paje');
});

it('opens a trace beside the one that is open', async () => {
  const visit = await session.visit('three');
  const { page } = visit;
  await page.keyboard.press('Control+o');
  const dialog = page.getByRole('dialog', { name: 'Open a trace' });
  await dialog.getByLabel('Beside the trace that is open').check();
  await dialog.getByRole('button', { name: 'more.paje' }).press('Enter');
  await ready(visit);
  expect(await title(visit)).toBe('Beside: more.paje');
  expect(await visit.addressPart('trace')).toBe('1');
  // There is one page beside, and not another one beside that.
  await frameOf(visit).getByRole('button', { name: 'Open', exact: true }).click();
  await frameOf(visit).getByRole('dialog').getByText('Folders').waitFor();
  expect(await frameOf(visit).getByLabel('Beside the trace that is open').count()).toBe(0);
  // Two inspectors take more than half a window has; there is one again when it is whole.
  expect(await page.getByRole('complementary', { name: 'Inspector' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await frameOf(visit).getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('v');
  await expect.poll(() => focused(visit)).toBe('BODY');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('close the page beside');
  await page.keyboard.press('Enter');
  await section(visit).waitFor({ state: 'detached' });
  await visit.inspector.waitFor();
});

it.each([
  [1280, false],
  [1600, true],
])('fits and can be used without seeing or pointing: %i, dark %s', async (width, dark) => {
  const visit = await session.visit('three', { dark, size: { width, height: 800 } });
  const { page } = visit;
  await openByKey(visit);
  expect(await seriousFaults(visit)).toEqual([]);
  expect(await seriousFaultsOf(page.frames()[1] as Frame)).toEqual([]);
  const halves = [page.locator('.page'), page.locator('iframe')];
  const boxes = await Promise.all(halves.map((half) => half.boundingBox()));
  for (const box of boxes) expect(box?.width).toBeGreaterThan(width / 2 - 40);
  // Nothing of a half lies outside of it.
  for (const place of [page, frameOf(visit)]) {
    const help = await place.getByRole('button', { name: 'Help' }).first().boundingBox();
    const [left, right] = boxes;
    const half = place === page ? left : right;
    expect((help?.x ?? 0) + (help?.width ?? 0)).toBeLessThanOrEqual(
      (half?.x ?? 0) + (half?.width ?? 0),
    );
  }
  const theme = () => frameOf(visit).locator('html').getAttribute('data-theme');
  expect(await theme()).toBe(dark ? 'dark' : 'light');
  await page
    .getByRole('button', { name: dark ? 'Light theme' : 'Dark theme' })
    .first()
    .click();
  await expect.poll(theme).toBe(dark ? 'light' : 'dark');
});
