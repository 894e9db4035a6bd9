// Rows: a lane for each depth, variables that can be read, states before variables, names.

import { expect, it } from 'vitest';
import { pass, type Visit } from './browser';
import { run, Server } from './onca';
import { answered, Session } from './session';
import { deepTrace, gaugesTrace, networkTrace, unevenTrace } from './traces';

const N_DEPTHS = 8;
const N_RANKS = 64;
const session = new Session(async (folder) => {
  const demo = folder.file('demo.paje');
  run(['demo', '--no-open', '-o', demo]);
  return {
    demo: await Server.start([demo]),
    gauges: await Server.start([folder.write('gauges.paje', gaugesTrace())]),
    uneven: await Server.start([folder.write('uneven.paje', unevenTrace(200, 150))]),
    deep: await Server.start([folder.write('deep.paje', deepTrace(N_DEPTHS))]),
    network: await Server.start([folder.write('network.paje', networkTrace(N_RANKS, 200))]),
  };
});

const LARGE = { width: 1600, height: 1000 };
const SMALL = { width: 1280, height: 720 };

const tip = ({ page }: Visit) => page.getByRole('tooltip');
const rowOf = ({ page }: Visit, name: string) =>
  page.getByRole('treeitem', { name, exact: false }).first();

/** Points at a share of the height of a row, in the middle of the plot. */
async function pointInRow(visit: Visit, name: string, down: number, across = 0.5): Promise<void> {
  const row = await rowOf(visit, name).boundingBox();
  const plot = await visit.plot.boundingBox();
  if (row === null || plot === null) throw new Error(`row ${name} cannot be seen`);
  await visit.page.mouse.move(plot.x + plot.width * across, row.y + row.height * down);
}

it('every depth of a deep stack has a lane that can be pointed at and clicked', async () => {
  const visit = await session.visit('deep', { view: 'rows=18' });
  for (let depth = 0; depth < N_DEPTHS; depth += 1) {
    await pointInRow(visit, 'rank 0', (depth + 0.5) / N_DEPTHS);
    await tip(visit).getByText(`f${depth}`, { exact: true }).waitFor();
  }
  const { height = 0 } = (await rowOf(visit, 'rank 0').boundingBox()) ?? {};
  expect(height).toBeGreaterThan(11 * N_DEPTHS);
  await pointInRow(visit, 'rank 0', 4.5 / N_DEPTHS);
  await visit.page.mouse.down();
  await visit.page.mouse.up();
  await visit.inspector.getByRole('heading', { name: 'f4', exact: true }).waitFor();
  await visit.page.screenshot({
    path: `${process.env['ONCA_PICTURES'] ?? session.folder.path}/deep.png`,
  });
});

it('a variable has a name at its lane, and a value and an interval under the pointer', async () => {
  const visit = await session.visit('network', { view: 'rows=18' });
  await visit.page.locator('.names .name', { hasText: 'load' }).waitFor();
  // Below the states of the row.
  await pointInRow(visit, 'rank 0', 0.8, 0.25);
  await tip(visit).getByText('load = 1', { exact: true }).waitFor();
  expect(await tip(visit).textContent()).toMatch(/0\.0* s – 2\.0* s/);
  await pointInRow(visit, 'rank 0', 0.8, 0.75);
  await tip(visit).getByText('load = 3', { exact: true }).waitFor();
  await visit.page.mouse.down();
  await visit.page.mouse.up();
  await visit.inspector.getByRole('heading', { name: 'load' }).waitFor();
  expect(await visit.inspector.locator('dd').allInnerTexts()).toContain('3');
});

it('a switch says how many depths of nested states are drawn', async () => {
  const visit = await session.visit('deep', { view: 'rows=18' });
  const height = async () => (await rowOf(visit, 'rank 0').boundingBox())?.height ?? 0;
  const before = await height();
  await visit.page.getByLabel('Nested states').selectOption('3 depths');
  await expect.poll(height).toBeLessThan(before * 0.6);
  await answered(visit);
  for (let depth = 0; depth < 3; depth += 1) {
    await pointInRow(visit, 'rank 0', (depth + 0.5) / 3);
    await tip(visit).getByText(`f${depth}`, { exact: true }).waitFor();
  }
  expect(await visit.addressPart('deep')).toBe('3');
  await visit.page.getByLabel('Nested states').selectOption('all depths');
  await expect.poll(height).toBe(before);
});

it('variables of a row lie over each other on one scale, and each can be pointed at', async () => {
  const visit = await session.visit('gauges', { view: 'rows=48' });
  const names = visit.page.locator('.names .name');
  await expect.poll(() => names.allInnerTexts()).toEqual(['memory', 'power']);
  await visit.page.getByLabel('variables of a row on one scale').check();
  await expect.poll(() => names.allInnerTexts()).toEqual(['memory, power']);
  await answered(visit);
  const scale = visit.page.locator('.scales .mark');
  await expect.poll(async () => (await scale.allInnerTexts())[0]).toBe('90');
  // Down the band, past both lines: each tells its own name.
  const told = new Set<string>();
  const row = await rowOf(visit, 'rank 0').boundingBox();
  const plot = await visit.plot.boundingBox();
  if (row === null || plot === null) throw new Error('no row');
  for (let y = 0; y < row.height; y += 2) {
    await visit.page.mouse.move(plot.x + plot.width / 4, row.y + y);
    await pass(visit.page, 0);
    const text = await visit.page.evaluate(
      () => document.querySelector('[role="tooltip"]')?.textContent ?? '',
    );
    const [, name] = /(memory = 10|power = 30)/.exec(text) ?? [];
    if (name !== undefined) told.add(name);
  }
  expect([...told].sort()).toEqual(['memory = 10', 'power = 30']);
  expect(await visit.addressPart('overlay')).toBe('1');
  await visit.page.screenshot({
    path: `${process.env['ONCA_PICTURES'] ?? session.folder.path}/overlay.png`,
  });
});

it.each([LARGE, SMALL])(
  'the first of many rows in order of size has its name: $width',
  async (size) => {
    const visit = await session.visit('uneven', { size });
    await visit.page.keyboard.press('1');
    await visit.page.getByRole('combobox', { name: 'Order' }).selectOption('by time in computing');
    await answered(visit);
    await visit.page.getByRole('treeitem', { name: 'rank 150' }).first().waitFor();
  },
);

it.each([LARGE, SMALL])('states come before a network of variables: $width', async (size) => {
  const visit = await session.visit('network', { size });
  await answered(visit);
  const network = rowOf(visit, 'network');
  expect(await network.getAttribute('aria-expanded')).toBe('false');
  const plot = await visit.plot.boundingBox();
  const row = await network.boundingBox();
  expect((row?.height ?? 1) / (plot?.height ?? 1)).toBeLessThan(0.1);
  expect(await visit.page.getByRole('treeitem', { name: 'wire' }).count()).toBe(0);
  await visit.page.screenshot({
    path: `${process.env['ONCA_PICTURES'] ?? session.folder.path}/network-${size.width}.png`,
  });
  await network.getByRole('button', { name: 'Expand network' }).click();
  await expect
    .poll(() => visit.page.getByRole('treeitem', { name: 'wire' }).count())
    .toBeGreaterThan(0);
});

it('the row under the pointer always shows its name', async () => {
  const visit = await session.visit('demo', { size: SMALL });
  await answered(visit);
  const plot = await visit.plot.boundingBox();
  if (plot === null) throw new Error('no plot');
  const pointed = visit.page.locator('[role="treeitem"].pointed');
  const names = new Set<string>();
  for (let y = 40; y < 60; y += 1) {
    await visit.page.mouse.move(plot.x + plot.width / 2, plot.y + y);
    await expect.poll(() => pointed.count()).toBe(1);
    names.add((await pointed.locator('.name').innerText()).trim());
  }
  // Rows are about three pixels high: more than fit beside each other.
  expect(names.size).toBeGreaterThan(3);
});

it('a value that is hidden keeps its place in the legend, struck through', async () => {
  const visit = await session.visit('demo');
  const values = visit.page.getByRole('region', { name: 'Values' }).locator('.list .name');
  await expect.poll(() => values.count()).toBeGreaterThan(3);
  await expect.poll(async () => (await values.first().innerText()).trim()).toBe('computing');
  // The shares are there, and with them the order.
  await visit.page.getByRole('region', { name: 'Values' }).getByText('68.7 %').waitFor();
  const names = await values.allInnerTexts();
  await visit.page.getByRole('button', { name: 'Hide computing' }).click();
  await visit.page.getByText('1 hidden').waitFor();
  await answered(visit, 800);
  expect(await values.allInnerTexts()).toEqual(names);
  const line = await values.first().evaluate((name) => getComputedStyle(name).textDecorationLine);
  expect(line).toBe('line-through');
  await visit.page.getByRole('button', { name: 'Show computing' }).click();
  await visit.page.getByText('1 hidden').waitFor({ state: 'detached' });
});

it('the picture has most of a small window, and folded panels stay folded', async () => {
  const visit = await session.visit('demo', { size: SMALL });
  const shareOf = async () => {
    const box = await visit.page.locator('main .timeline').boundingBox();
    return ((box?.width ?? 0) * (box?.height ?? 0)) / (SMALL.width * SMALL.height);
  };
  expect(await shareOf()).toBeGreaterThanOrEqual(0.6);
  await visit.page.screenshot({
    path: `${process.env['ONCA_PICTURES'] ?? session.folder.path}/room.png`,
  });
  await visit.page.getByRole('button', { name: 'Unfold the panels' }).click();
  await visit.page.getByRole('button', { name: 'Hide computing' }).waitFor();
  // The next visit begins with what was left.
  await visit.page.goto('about:blank');
  await visit.page.goto(session.server('demo').origin);
  await visit.ready();
  await visit.page.getByRole('button', { name: 'Fold the panels' }).waitFor();
});
