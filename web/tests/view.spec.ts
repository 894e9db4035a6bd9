// The demo trace in the page: looking, moving, asking.

import { readFileSync } from 'node:fs';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { launch, seriousFaults, Visit, windowText } from './browser';
import { Folder, run, Server } from './onca';

let folder: Folder;
let server: Server;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  folder = new Folder();
  run(['demo', '--no-open', '-o', folder.file('demo.paje')]);
  server = await Server.start([folder.file('demo.paje')]);
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  server?.stop();
  folder?.remove();
});
beforeEach(async () => {
  // Rows of natural height, so that the ranks have their names.
  visit = await Visit.start(browser, server, { view: 'rows=18' });
});
afterEach(async () => {
  const { complaints, requests } = visit;
  await visit.close();
  expect(complaints).toEqual([]);
  expect(
    requests.filter(
      (address) => !address.startsWith(server.origin) && !address.startsWith('blob:'),
    ),
  ).toEqual([]);
});

/** The rows without anything below them. */
async function leaves(): Promise<Locator> {
  // Rows of natural height all have names.
  await visit.page.goto(`${server.origin}/#rows=18`);
  return visit.page.locator('[role="treeitem"]:not([aria-expanded])');
}

/** The name of a row without anything below it. */
async function leafName(): Promise<string> {
  const name = (await leaves()).first().locator('.name');
  return (await name.textContent())?.trim() ?? '';
}

it('opens with a picture, a legend and a status', async () => {
  await visit.page.getByRole('list').first().waitFor();
  expect(await visit.page.title()).toContain('Onca');
  expect(await visit.windowText()).toMatch(/window .+ – .+/);
  expect(await visit.page.getByRole('button', { name: /^Hide / }).count()).toBeGreaterThan(1);
  await visit.page.screenshot({ path: `${process.env['ONCA_PICTURES'] ?? folder.path}/demo.png` });
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
  const other = await Visit.start(browser, server, { touch: true, view: 'rows=18' });
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
  expect(other.complaints).toEqual([]);
  await other.close();
});

it('opens the view of an address that still has the token', async () => {
  const view = 'window=1000000000-2000000000&rows=18&depth=2';
  const other = await Visit.start(browser, server, { view });
  expect(await other.window()).toEqual({ from: 1_000_000_000, to: 2_000_000_000 });
  expect(await other.addressPart('depth')).toBe('2');
  expect(other.page.url()).not.toContain('token');
  await other.page.reload();
  await other.ready();
  expect(await other.window()).toEqual({ from: 1_000_000_000, to: 2_000_000_000 });
  await other.close();
});

it('writes the scale of variables beside their rows', async () => {
  const marks = visit.page.locator('.scales .mark');
  await marks.first().waitFor();
  const machine = visit.page.getByRole('treeitem', { name: /machine-1/ }).first();
  expect(await machine.getAttribute('title')).toMatch(/\nPower: [\d.]+k? to [\d.]+k?$/);
  const tree = await visit.page.getByRole('tree').boundingBox();
  const name = await machine.locator('.name').boundingBox();
  const row = await machine.boundingBox();
  if (tree === null || name === null || row === null) throw new Error('no row');
  const boxes = await marks.evaluateAll((all) => all.map((mark) => mark.getBoundingClientRect()));
  const beside = boxes.filter(
    ({ y, bottom }) => y >= row.y - 1 && bottom <= row.y + row.height + 1,
  );
  expect(beside.length).toBeGreaterThan(1);
  for (const { left, right } of beside) {
    expect(left).toBeGreaterThan(name.x + name.width);
    expect(right).toBeLessThanOrEqual(tree.x + tree.width + 1);
  }
  const texts = (await marks.allTextContents()).slice(0, beside.length);
  // Rows that are higher have round numbers between the ends.
  await visit.page.goto(`${server.origin}/#rows=48`);
  await expect.poll(() => marks.allTextContents(), { timeout: 20_000 }).toContain('100');
  expect(await marks.allTextContents()).toEqual(expect.arrayContaining(texts));
});

it('tells of all containers of a row that sums them up', async () => {
  await visit.page.goto(`${server.origin}/#rows=18&depth=3`);
  await visit.page.getByRole('treeitem', { name: 'Expand machine-2' }).waitFor();
  await visit.clickRow('machine-2', 0.6);
  await visit.inspector.getByText('containers', { exact: true }).waitFor();
  await visit.inspector.getByText(/^4: rank-\d+(, rank-\d+){3}$/).waitFor();
  expect(await visit.inspector.getByText('aggregate').count()).toBe(1);
});

it('takes exact times for the window', async () => {
  await visit.page.keyboard.press('t');
  await visit.page.getByLabel('From', { exact: true }).fill('1.5');
  await visit.page.getByLabel('To', { exact: true }).fill('1750 ms');
  await visit.page.getByRole('button', { name: 'Go' }).click();
  expect(await visit.windowText()).toContain('1.5');
  expect(await visit.windowText()).toContain('250.0');
});

it('inspects what is clicked and tells what belongs to it', async () => {
  await visit.plot.focus();
  for (let i = 0; i < 24; i++) await visit.page.keyboard.press('w');
  await visit.page.waitForTimeout(1200);
  await visit.clickRow(await leafName(), 0.5);
  await visit.inspector.getByText('Where').waitFor();
  expect(await visit.addressPart('pick')).toMatch(/^\d+$/);
  await visit.page.getByRole('tooltip').waitFor();
  const before = await visit.addressPart('pick');
  await visit.plot.focus();
  await visit.page.keyboard.press(']');
  await visit.page.waitForTimeout(500);
  expect(await visit.addressPart('pick')).not.toBe(before);
});

it('hides values, shows only one, and resets the lens', async () => {
  const hide = visit.page.getByRole('button', { name: /^Hide / }).first();
  const name = ((await hide.getAttribute('aria-label')) ?? '').replace('Hide ', '');
  await hide.click();
  await visit.page.getByText('1 hidden').waitFor();
  expect(await visit.addressPart('lens')).toMatch(/^z\./);
  await visit.page.getByRole('button', { name: `Show only ${name}` }).click();
  await visit.page.getByText(`only values: ${name}`).waitFor();
  await visit.page.getByRole('button', { name: 'Reset the lens' }).click();
  await visit.page.getByText(`only values: ${name}`).waitFor({ state: 'detached' });
  expect(await visit.addressPart('lens')).toBeNull();
});

it('groups rows that are selected, and ungroups them', async () => {
  const rows = await leaves();
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
  const rows = await leaves();
  const name = (await rows.nth(1).locator('.name').textContent()) ?? '';
  await rows.nth(1).click();
  await visit.plot.focus();
  await visit.page.keyboard.press('h');
  await visit.page.getByRole('treeitem', { name, exact: true }).waitFor({ state: 'detached' });
  await visit.page.keyboard.press('Control+z');
  await visit.page.getByRole('treeitem', { name, exact: true }).waitFor();
  await visit.plot.focus();
  for (let i = 0; i < 24; i++) await visit.page.keyboard.press('w');
  await visit.page.waitForTimeout(1200);
  await visit.clickRow(name, 0.5);
  await visit.inspector.locator('header').getByText('state', { exact: true }).waitFor();
  const state = (await visit.inspector.locator('.title').textContent())?.trim() ?? '';
  await visit.plot.focus();
  await visit.page.keyboard.press('h');
  await visit.page.getByText('1 hidden').waitFor();
  await visit.page.getByRole('button', { name: `Show ${state}`, exact: true }).waitFor();
});

it('filters rows by a pattern and says why one is refused', async () => {
  const leaf = await leafName();
  await visit.page.getByLabel('Pattern', { exact: true }).fill(leaf);
  await visit.page.getByRole('button', { name: 'Show only', exact: true }).click();
  await visit.page.getByText(`only rows: ${leaf}`).waitFor();
  const leaves = visit.page.locator('[role="treeitem"]:not([aria-expanded])');
  await expect.poll(() => leaves.count(), { timeout: 20_000 }).toBe(1);
  await visit.page.getByLabel('Pattern', { exact: true }).fill('no such row');
  await visit.page.getByRole('button', { name: 'Hide', exact: true }).click();
  await visit.page.getByRole('status').getByText('no such row').waitFor();
  // The browser tells of the refused request on its console; that is no fault of the page.
  visit.complaints.splice(0);
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
  const name = await leafName();
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
  await visit.page.waitForTimeout(1500);
  const again = await Visit.start(browser, server);
  await again.tab('Marks');
  expect(await again.page.getByLabel('Note of Mark 1').inputValue()).toBe('here it begins');
  await again.page.getByRole('button', { name: 'Delete Mark 2' }).click();
  await again.page.getByRole('button', { name: 'Delete Mark 1' }).click();
  await again.page.waitForTimeout(1000);
  await again.close();
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
  await visit.page.waitForTimeout(600);
  await visit.page.getByRole('button', { name: 'Share', exact: true }).first().click();
  const address = await visit.page.evaluate(() => navigator.clipboard.readText());
  const window = await visit.windowText();
  const other = await visit.context.newPage();
  await other.goto(address);
  await other.getByRole('grid', { name: 'Statistics' }).waitFor();
  await other.getByRole('tab', { name: 'Legend & filters' }).click();
  await other.getByText('1 hidden').waitFor();
  expect(await windowText(other)).toBe(window);
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
  expect(await visit.addressPart('lens')).toMatch(/^h\.[0-9a-f]{64}$/);
  await visit.page.reload();
  await visit.page.getByText(`without values: ${patterns[399]}`).waitFor();
  await visit.page.keyboard.press('Control+z');
  await visit.page.getByText(`without values: ${patterns[399]}`).waitFor({ state: 'detached' });
});

it('exports what the command draws', async () => {
  await visit.plot.focus();
  await visit.page.keyboard.press('w');
  await visit.page.waitForTimeout(600);
  await visit.page.getByRole('button', { name: 'Export' }).click();
  const command = (await visit.page.locator('dialog pre').textContent())?.trim() ?? '';
  const [download] = await Promise.all([
    visit.page.waitForEvent('download'),
    visit.page.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  const file = folder.file('page.svg');
  await download.saveAs(file);
  expect(command).toMatch(/^onca render timeline /);
  const drawn = runCommand(command);
  expect(readFileSync(file).equals(drawn)).toBe(true);
});

/** Runs a command as a shell would, with its output in a file of our own. */
function runCommand(command: string): Buffer {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  const output = folder.file('command.svg');
  const place = words.findIndex((word) => word === '-o' || word === '--output');
  const rest = place < 0 ? words.slice(1) : [...words.slice(1, place), ...words.slice(place + 2)];
  run([...rest, '-o', output], folder.path);
  return readFileSync(output);
}

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

it('folds its panels and remembers their size', async () => {
  const border = visit.page.getByRole('separator', { name: 'Height of the panels' });
  await border.focus();
  await visit.page.keyboard.press('ArrowUp');
  const size = await border.getAttribute('aria-valuenow');
  await visit.plot.focus();
  await visit.page.keyboard.press('b');
  await border.waitFor({ state: 'detached' });
  await visit.page.keyboard.press('i');
  await visit.inspector.waitFor({ state: 'detached' });
  await visit.page.keyboard.press('b');
  expect(await border.getAttribute('aria-valuenow')).toBe(size);
});

it('shows its keys', async () => {
  await visit.page.keyboard.press('?');
  await visit.page.getByRole('heading', { name: 'Keys and gestures' }).waitFor();
  await visit.page.keyboard.press('Escape');
  await visit.page
    .getByRole('heading', { name: 'Keys and gestures' })
    .waitFor({ state: 'detached' });
});

it.each([
  ['light', false],
  ['dark', true],
])('has no serious fault of accessibility: %s', async (_, dark) => {
  const other = await Visit.start(browser, server, { dark });
  for (const key of ['1', '2', '3', '4', '5', '6', '7', '?']) {
    await other.page.keyboard.press(key);
    await other.page.waitForTimeout(150);
    expect(await seriousFaults(other)).toEqual([]);
  }
  await other.close();
});
