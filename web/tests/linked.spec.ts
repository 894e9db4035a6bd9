// Views beside each other: what is done in one is seen in the others.

import type { Browser, Locator, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { launch, Visit } from './browser';
import { Folder, run, Server } from './onca';

interface Asked {
  readonly window?: { readonly from: number; readonly to: number };
  readonly depth?: number;
  readonly p?: number;
  readonly lens?: { readonly select?: { readonly values?: { readonly only?: readonly string[] } } };
  readonly links?: { readonly nodes: readonly number[] } | string;
}

let folder: Folder;
let server: Server;
let browser: Browser;
let visit: Visit;
/** What pictures were last asked for, by view. */
let asked: Map<string, Asked>;

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
beforeEach(() => {
  asked = new Map();
});
afterEach(async () => {
  const { complaints } = visit;
  await visit.close();
  expect(complaints).toEqual([]);
});

function remember(request: Request): void {
  const [, name] = /\/(timeline|(?<=\/scene\/)\w+)$/.exec(request.url()) ?? [];
  const body = request.postData();
  if (name !== undefined && body !== null) asked.set(name, JSON.parse(body) as Asked);
}

/** The timeline at the left and another view at the right. */
async function open(view: string, more = ''): Promise<void> {
  const views = encodeURIComponent(`["timeline", ${view}]`);
  visit = await Visit.start(browser, server);
  visit.page.on('request', remember);
  await visit.page.goto(`${server.origin}/#views=${views}${more}`);
  await rightPicture().waitFor();
  await rest();
}

const right = () => visit.page.getByRole('region', { name: /, right$/ });
const rightPicture = () => right().getByRole('application');
const timeline = () => visit.page.getByRole('region', { name: 'Timeline, left' });

/** Waits until an answer is drawn. */
async function rest(): Promise<void> {
  await visit.page.waitForTimeout(300);
  await visit.page.waitForFunction(
    () => document.querySelector('[role="application"][aria-busy="true"]') === null,
  );
}

async function middleOf(place: Locator, across = 0.5, down = 0.5): Promise<[number, number]> {
  const box = await place.boundingBox();
  if (box === null) throw new Error('the picture cannot be seen');
  return [box.x + box.width * across, box.y + box.height * down];
}

it('a second view is opened, changed, moved and closed', async () => {
  visit = await Visit.start(browser, server);
  await visit.page.getByRole('button', { name: 'Split' }).click();
  await rest();
  expect(await right().getByRole('tab', { selected: true }).textContent()).toContain('Treemap');
  await right().getByRole('tab', { name: 'Charts' }).click();
  await visit.page.getByRole('button', { name: 'Swap the views' }).click();
  expect(await right().getByRole('tab', { selected: true }).textContent()).toContain('Timeline');
  const splitter = visit.page.getByRole('separator', { name: 'Width of the left view' });
  const before = Number(await splitter.getAttribute('aria-valuenow'));
  await splitter.focus();
  await visit.page.keyboard.press('ArrowRight');
  expect(Number(await splitter.getAttribute('aria-valuenow'))).toBeGreaterThan(before);
  await right().getByRole('button', { name: 'Close this view' }).click();
  expect(await visit.page.getByRole('application').count()).toBe(1);
});

it('a window changed in the timeline changes a treemap, and undo changes it back', async () => {
  await open('"treemap"');
  await visit.plot.first().focus();
  await visit.page.keyboard.press('w');
  const window = await visit.window();
  await rest();
  expect(asked.get('treemap')?.window).toEqual(window);
  await visit.page.keyboard.press('Control+z');
  await rest();
  expect(asked.get('treemap')?.window?.from).toBe(0);
});

it('a window changed over concurrency changes the timeline', async () => {
  await open('{"view": "charts", "chart": "concurrency"}');
  const [x, y] = await middleOf(rightPicture());
  await visit.page.mouse.move(x, y);
  await visit.page.mouse.wheel(0, -300);
  const window = await visit.window();
  expect(window).not.toBeNull();
  await rest();
  const drawn = asked.get('timeline')?.window;
  expect(drawn?.from).toBeLessThanOrEqual(window?.from ?? 0);
  expect(drawn?.to).toBeGreaterThanOrEqual(window?.to ?? 0);
  expect(asked.get('concurrency')?.window).toEqual(window);
});

it('a locked view keeps its window until it is linked again', async () => {
  await open('"treemap"');
  await right()
    .getByRole('button', { name: /keep window and lens/ })
    .click();
  await rest();
  asked.clear();
  await visit.plot.first().focus();
  await visit.page.keyboard.press('w');
  const window = await visit.window();
  await rest();
  expect(asked.get('treemap')).toBeUndefined();
  await right()
    .getByRole('button', { name: /follow the other views/ })
    .click();
  await rest();
  expect(asked.get('treemap')?.window).toEqual(window);
});

it('a container selected in a treemap is selected in the timeline, and the other way round', async () => {
  await open('{"view": "treemap", "depth": 3}', '&depth=3');
  const [x, y] = await middleOf(rightPicture());
  await visit.page.mouse.click(x, y);
  const nodes = await visit.addressPart('nodes');
  expect(nodes).toMatch(/^\d+$/);
  expect(await visit.addressPart('value')).toMatch(/^\d+$/);
  expect(await timeline().locator('[role="treeitem"][aria-selected="true"]').count()).toBe(1);
  await timeline().getByRole('treeitem', { name: 'machine-3' }).first().click();
  expect(await visit.addressPart('nodes')).not.toBe(nodes);
});

it('the wheel moves a treemap through the levels, and a value can be seen alone', async () => {
  await open('"treemap"');
  const [x, y] = await middleOf(rightPicture());
  await visit.page.mouse.move(x, y);
  await visit.page.mouse.wheel(0, -100);
  await rest();
  expect(asked.get('treemap')?.depth).toBe(3);
  await visit.page.mouse.wheel(0, -100);
  await rest();
  expect(asked.get('treemap')?.depth).toBe(2);
  await visit.page.mouse.wheel(0, 100);
  await rest();
  expect(asked.get('treemap')?.depth).toBe(3);
  expect(await visit.window()).toBeNull();
  const value = right()
    .getByRole('group', { name: 'Values' })
    .getByRole('button', { name: /MPI_Wait/ });
  await value.click();
  await rest();
  expect(asked.get('treemap')?.lens?.select?.values?.only).toEqual(['MPI_Wait']);
  await value.click();
  await rest();
  expect(asked.get('treemap')?.lens?.select).toBeUndefined();
});

it('the pointer over a treemap tells the path', async () => {
  await open('"treemap"');
  const [x, y] = await middleOf(rightPicture());
  await visit.page.mouse.move(x, y);
  const tip = visit.page.getByRole('tooltip');
  await tip.waitFor();
  expect(await tip.textContent()).toMatch(/site-1 › cluster-\d › machine-\d+ › rank-\d+/);
});

it('a treemap plays through time and leaves the window of the others alone', async () => {
  await open('"treemap"');
  await right().getByRole('button', { name: 'Play' }).click();
  await visit.page.waitForTimeout(1500);
  await right().getByRole('button', { name: 'Pause' }).click();
  await rest();
  const played = asked.get('treemap')?.window;
  expect(played?.from).toBeGreaterThan(0);
  expect(await visit.window()).toBeNull();
  await right().getByRole('button', { name: 'Step back' }).click();
  await rest();
  expect(asked.get('treemap')?.window?.from).toBeLessThan(played?.from ?? 0);
});

it('a pair of the matrix shows its links in the timeline', async () => {
  await open('{"view": "matrix", "depth": 2}', '&links=all');
  const box = await rightPicture().boundingBox();
  if (box === null) throw new Error('no matrix');
  const side = Math.min(box.width, box.height);
  const [left, top] = [box.x + (box.width - side) / 2, box.y + (box.height - side) / 2];
  // Three clusters: the first sends to the second.
  await visit.page.mouse.click(left + side / 2, top + side / 6);
  const nodes = (await visit.addressPart('nodes'))?.split('.').map(Number);
  expect(nodes).toHaveLength(2);
  expect(await visit.addressPart('links')).toBe('selection');
  await rest();
  expect(asked.get('timeline')?.links).toEqual({ of: [], nodes });
});

it('an area of the overview is shown in all views, and the way leads back', async () => {
  await open('"overview"');
  const [x, y] = await middleOf(rightPicture(), 0.25);
  await visit.page.mouse.click(x, y);
  const window = await visit.window();
  expect(window).not.toBeNull();
  await rest();
  expect(asked.get('overview')?.window).toEqual(window);
  await right().getByRole('button', { name: 'Whole trace' }).click();
  expect(await visit.window()).toBeNull();
});

it('the overview has a notch for each trade-off, and lists disruptions', async () => {
  await open('"overview"');
  const slider = right().getByRole('slider', { name: /Trade-off/ });
  await right()
    .getByText(/areas · .* lost/)
    .waitFor();
  const notches = Number(await slider.getAttribute('max'));
  expect(notches).toBeGreaterThan(0);
  await slider.focus();
  await visit.page.keyboard.press('End');
  await rest();
  expect(asked.get('overview')?.p).toBeGreaterThan(0);
  await right()
    .getByText(/ 1 areas? · /)
    .waitFor();
  await right().getByRole('button', { name: 'Curve and disruptions' }).click();
  await right().getByRole('listitem').first().getByRole('button').click();
  expect(await visit.window()).not.toBeNull();
});

it('an address opens both views as they were', async () => {
  await open(
    '{"view": "treemap", "depth": 2, "own": {"window": {"from": 5, "to": 905}, "lens": {"version": 1}}}, 0.375',
  );
  await rest();
  const address = visit.page.url();
  const next = await visit.context.newPage();
  const requests: Asked[] = [];
  next.on('request', (request) => {
    if (request.url().endsWith('scene/treemap')) {
      requests.push(JSON.parse(request.postData() ?? '{}') as Asked);
    }
  });
  await next.goto(address);
  await next.getByRole('region', { name: 'Treemap, right' }).waitFor();
  await next.getByRole('region', { name: 'Timeline, left' }).waitFor();
  await next.waitForTimeout(600);
  expect(requests.at(-1)?.depth).toBe(2);
  expect(requests.at(-1)?.window).toEqual({ from: 5, to: 905 });
  const splitter = next.getByRole('separator', { name: 'Width of the left view' });
  const [first, all] = await Promise.all([
    splitter.getAttribute('aria-valuenow'),
    next.locator('.panes').evaluate((panes) => panes.clientWidth),
  ]);
  expect(Number(first) / all).toBeCloseTo(0.375, 2);
  expect(await next.getByRole('button', { name: /follow the other views/ }).count()).toBe(1);
});

it('every chart is drawn, in both themes', async () => {
  visit = await Visit.start(browser, server, { dark: true });
  visit.page.on('request', remember);
  await visit.page.getByRole('tab', { name: 'Charts' }).click();
  for (const name of ['Bars', 'Histogram', 'Concurrency', 'Pie']) {
    await visit.page.getByRole('button', { name, exact: true }).click();
    await rest();
    expect(asked.has(name.toLowerCase())).toBe(true);
    expect(await visit.page.getByRole('alert').count()).toBe(0);
  }
  const pictures = process.env['ONCA_PICTURES'] ?? folder.path;
  await visit.page.screenshot({ path: `${pictures}/charts.png` });
});
