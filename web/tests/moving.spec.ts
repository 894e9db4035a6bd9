// Moving through time, and the address that remembers where one is.

import type { Locator } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { pass, type Visit, windowText } from './browser';
import { demoSession } from './session';

const session = demoSession();
let visit: Visit;

beforeEach(async () => {
  // Rows of natural height, so that the ranks have their names.
  visit = await session.visit('demo', { view: 'rows=18' });
});

it('zooms, pans, shows all, and takes steps back', async () => {
  await visit.plot.focus();
  expect(await visit.window()).toBeNull();
  await visit.page.keyboard.press('w');
  const zoomed = await visit.window();
  expect(zoomed).not.toBeNull();
  await visit.page.keyboard.press('d');
  const panned = await visit.window();
  expect(panned?.from).toBeGreaterThan(zoomed?.from ?? 0);
  await visit.page.keyboard.press('Control+z');
  expect(await visit.window()).toEqual(zoomed);
  await visit.page.goForward();
  expect(await visit.window()).toEqual(panned);
  await visit.plot.focus();
  await visit.page.keyboard.press('f');
  expect(await visit.window()).toBeNull();
});

it('zooms with the wheel at the pointer, and selects a window with Shift', async () => {
  const box = await visit.plot.boundingBox();
  if (box === null) throw new Error('no plot');
  const [x, y] = [box.x + box.width / 4, box.y + box.height / 2];
  await visit.page.mouse.move(x, y);
  await visit.page.keyboard.down('Control');
  await visit.page.mouse.wheel(0, -400);
  await visit.page.keyboard.up('Control');
  expect(await visit.window()).not.toBeNull();
  await visit.page.keyboard.down('Shift');
  await visit.page.mouse.down();
  await visit.page.mouse.move(x + 100, y, { steps: 4 });
  await visit.page.mouse.up();
  await visit.page.keyboard.up('Shift');
  expect(await visit.addressPart('range')).toMatch(/^\d+-\d+$/);
  await visit.tab('Statistics');
  await visit.page.getByText('Selected:').waitFor();
});

/** Presses, moves from one share of the width to another, and lets go. */
async function dragAlong(place: Locator, from: number, to: number): Promise<void> {
  const box = await place.boundingBox();
  if (box === null) throw new Error('nothing to drag along');
  const y = box.y + box.height / 2;
  await visit.page.mouse.move(box.x + box.width * from, y);
  await visit.page.mouse.down();
  await visit.page.mouse.move(box.x + box.width * to, y, { steps: 5 });
  await visit.page.mouse.up();
}

it('zooms to a window that is dragged with Alt', async () => {
  await visit.page.keyboard.down('Alt');
  await dragAlong(visit.plot, 0.25, 0.5);
  await visit.page.keyboard.up('Alt');
  const window = await visit.window();
  expect((window?.from ?? 0) / (window?.to ?? 1)).toBeCloseTo(0.5, 1);
  expect(await visit.addressPart('range')).toBeNull();
  await visit.page.keyboard.press('Control+z');
  expect(await visit.window()).toBeNull();
});

it('selects a window along the ruler, either way, and zooms to it with a double click', async () => {
  const ruler = visit.page.locator('.ruler canvas').first();
  await dragAlong(ruler, 0.8, 0.4);
  const range = await visit.addressPart('range');
  const [from, to] = (range ?? '').split('-').map(Number);
  expect((from ?? 0) / (to ?? 1)).toBeCloseTo(0.5, 1);
  expect(await visit.window()).toBeNull();
  const width = (await ruler.boundingBox())?.width ?? 0;
  await ruler.dblclick({ position: { x: width * 0.6, y: 5 } });
  expect(await visit.addressPart('window')).toBe(range);
  await visit.plot.focus();
  await visit.page.keyboard.press('Escape');
  expect(await visit.addressPart('range')).toBeNull();
});

it('zooms and pans with two fingers, and pans with one', async () => {
  const other = await session.visit('demo', { touch: true, view: 'rows=18' });
  const box = await other.plot.boundingBox();
  if (box === null) throw new Error('no plot');
  const fingers = await other.context.newCDPSession(other.page);
  type Phase = 'touchStart' | 'touchMove' | 'touchEnd';
  const touch = (type: Phase, ...shares: readonly number[]) =>
    fingers.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: shares.map((share, id) => ({
        id,
        x: box.x + box.width * share,
        y: box.y + box.height / 2,
      })),
    });
  await touch('touchStart', 0.4, 0.6);
  for (const by of [0.05, 0.1, 0.15, 0.2]) await touch('touchMove', 0.4 - by, 0.6 + by);
  await touch('touchEnd');
  // The times at 0.4 and 0.6 are now at 0.2 and 0.8.
  const pinched = await other.window();
  expect((pinched?.from ?? 0) / (pinched?.to ?? 1)).toBeCloseTo(1 / 2, 1);
  await touch('touchStart', 0.6);
  for (const at of [0.5, 0.4, 0.3]) await touch('touchMove', at);
  await touch('touchEnd');
  const panned = await other.window();
  const span = ({ from, to }: { from: number; to: number }) => to - from;
  expect(panned?.from).toBeGreaterThan(pinched?.from ?? Infinity);
  expect(span(panned ?? { from: 0, to: 0 })).toBeCloseTo(span(pinched ?? { from: 0, to: 1 }), -3);
});

it('takes exact times for the window', async () => {
  await visit.page.keyboard.press('t');
  await visit.page.getByLabel('From', { exact: true }).fill('1.5');
  await visit.page.getByLabel('To', { exact: true }).fill('1750 ms');
  await visit.page.getByRole('button', { name: 'Go' }).click();
  expect(await visit.windowText()).toContain('1.5');
  expect(await visit.windowText()).toContain('250.0');
});

it('opens the view of an address that still has the token', async () => {
  const view = 'window=1000000000-2000000000&rows=18&depth=2';
  const other = await session.visit('demo', { view });
  expect(await other.window()).toEqual({ from: 1_000_000_000, to: 2_000_000_000 });
  expect(await other.addressPart('depth')).toBe('2');
  expect(other.page.url()).not.toContain('token');
  await other.page.reload();
  await other.ready();
  expect(await other.window()).toEqual({ from: 1_000_000_000, to: 2_000_000_000 });
});

it('restores the view from its address', async () => {
  await visit.plot.focus();
  await visit.page.keyboard.press('w');
  await visit.page
    .getByRole('button', { name: /^Hide / })
    .first()
    .click();
  await visit.page.getByText('1 hidden').waitFor();
  await visit.page.keyboard.press('2');
  await pass(visit.page, 600);
  await visit.page.getByRole('button', { name: 'Share', exact: true }).first().click();
  await visit.page.getByRole('button', { name: 'Copy the address' }).click();
  const address = await visit.page.evaluate(() => navigator.clipboard.readText());
  await visit.page.keyboard.press('Escape');
  const window = await visit.windowText();
  const other = await visit.context.newPage();
  await other.goto(address);
  await other.getByRole('grid', { name: 'Statistics' }).waitFor();
  await other.getByRole('tab', { name: 'Legend & filters' }).click();
  await other.getByText('1 hidden').waitFor();
  expect(await windowText(other)).toBe(window);
});
