// The demo trace in the page: what is there to see.

import { beforeEach, expect, it } from 'vitest';
import { pass, seriousFaults, type Visit } from './browser';
import { answered, demoSession } from './session';

const session = demoSession();
let visit: Visit;

beforeEach(async () => {
  // Rows of natural height, so that the ranks have their names.
  visit = await session.visit('demo', { view: 'rows=18' });
});

it('opens with a picture, a legend and a status', async () => {
  await visit.page.getByRole('list').first().waitFor();
  expect(await visit.page.title()).toContain('Onca');
  expect(await visit.windowText()).toMatch(/window .+ – .+/);
  expect(await visit.page.getByRole('button', { name: /^Hide / }).count()).toBeGreaterThan(1);
  await visit.page.screenshot({
    path: `${process.env['ONCA_PICTURES'] ?? session.folder.path}/demo.png`,
  });
});

it('asks for the picture before what stands beside it', async () => {
  const besides = ['minimap', 'statistics', 'lens'];
  const questions = () =>
    visit.requests.map((address) => new URL(address).pathname.split('/').at(-1));
  await expect.poll(() => besides.filter((name) => !questions().includes(name))).toEqual([]);
  const first = questions().find((name) => name === 'timeline' || besides.includes(name ?? ''));
  expect(first).toBe('timeline');
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
  await visit.page.goto(`${session.server('demo').origin}/#rows=48`);
  await expect.poll(() => marks.allTextContents()).toContain('100');
  expect(await marks.allTextContents()).toEqual(expect.arrayContaining(texts));
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
  const other = await session.visit('demo', { dark });
  for (const key of ['1', '2', '3', '4', '5', '6', '7', '?']) {
    await other.page.keyboard.press(key);
    await pass(other.page, 150);
    expect(await seriousFaults(other)).toEqual([]);
  }
});

it('shows what there is where an address tells of a time after the end', async () => {
  const { origin } = new URL(visit.page.url());
  await visit.page.goto('about:blank');
  await visit.page.goto(`${origin}/#rows=18&window=5000000000-9000000000`);
  await visit.ready();
  await answered(visit);
  expect(await visit.windowText()).toMatch(/– 5\.514 s/);
});
