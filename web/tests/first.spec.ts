// What is seen before the page is there: the picture that the server sends, and how the canvas takes
// its place. And parts of the page that are loaded later.

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { holdScripts, launch, pass, SCRIPTS } from './browser';
import { differences } from './difference';
import { demoSession } from './session';

const session = demoSession();
/** A busy machine is no failure. */
const PATIENCE = { timeout: 60_000 } as const;

let browser: Browser;
let contexts: BrowserContext[] = [];

beforeAll(async () => {
  browser = await launch();
});
afterEach(async () => {
  for (const context of contexts) await context.close();
  contexts = [];
});
afterAll(() => browser.close());

interface Options {
  readonly width?: number;
  readonly dark?: boolean;
  readonly hasScripts?: boolean;
}

async function newPage({ width = 1280, dark = false, hasScripts = true }: Options = {}) {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: dark ? 'dark' : 'light',
    javaScriptEnabled: hasScripts,
  });
  contexts.push(context);
  return context.newPage();
}

const address = (fragment = '') => `${session.server('demo').address}#${fragment}`;
const picture = (page: Page) => page.locator('#first img');
const plot = (page: Page) => page.getByRole('application');

/** Goes to a page without waiting for its picture and its scripts: tests wait for what they need. */
async function open(page: Page, to: string): Promise<void> {
  await page.goto(to, { waitUntil: 'commit', ...PATIENCE });
}

/** The picture is loaded and there to see. */
async function pictured(page: Page): Promise<void> {
  await picture(page).waitFor(PATIENCE);
  await expect
    .poll(() => picture(page).evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0);
}

async function replaced(page: Page): Promise<void> {
  await picture(page).waitFor({ state: 'detached', ...PATIENCE });
  await plot(page).waitFor(PATIENCE);
}

async function expectSamePlace(page: Page, there: Awaited<ReturnType<typeof boxOf>>) {
  const here = await boxOf(page, '[role="application"]');
  for (const side of ['x', 'y', 'width', 'height'] as const) {
    expect(Math.abs(here[side] - there[side]), side).toBeLessThan(1);
  }
}

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).boundingBox();
  if (box === null) throw new Error(`${selector} cannot be seen`);
  return box;
}

it.each([
  [1280, false],
  [1600, true],
])('shows the trace without any script: %i wide, dark %s', async (width, dark) => {
  const still = await newPage({ width, dark, hasScripts: false });
  await open(still, address());
  await pictured(still);
  const source = await picture(still).evaluate((image: HTMLImageElement) => image.currentSrc);
  expect(source).toContain(dark ? 'theme=dark' : 'theme=light');
  const there = await boxOf(still, '#first');
  // It lies where the plot of the page will be.
  const moving = await newPage({ width, dark });
  await open(moving, address());
  await replaced(moving);
  await expectSamePlace(moving, there);
});

it.each([
  ['light', false],
  ['dark', true],
])('replaces the picture without a jump: %s', async (_, dark) => {
  const page = await newPage({ dark });
  // The second visit has the picture in the size of the plot.
  await open(page, address());
  await replaced(page);
  await page.goto('about:blank');
  const release = await holdScripts(page);
  await open(page, address());
  await pictured(page);
  const there = await boxOf(page, '#first');
  const natural = await picture(page).evaluate((image: HTMLImageElement) => [
    image.naturalWidth,
    image.naturalHeight,
  ]);
  expect(natural).toEqual([there.width, there.height]);
  const before = await page.screenshot({ clip: there });
  release();
  await replaced(page);
  await expectSamePlace(page, there);
  await page.mouse.move(2, 2);
  await pass(page, 500);
  const after = await page.screenshot({ clip: there });
  const shifts = [-2, -1, 0, 1, 2].flatMap((x) => [-2, -1, 0, 1, 2].map((y) => [x, y] as const));
  const found = await differences(await newPage(), before, after, shifts);
  const means = found.map(({ mean }) => mean);
  const here = means[shifts.findIndex(([x, y]) => x === 0 && y === 0)] ?? Infinity;
  // Rows and columns are in the same place: moved by a pixel, the pictures differ more.
  expect(Math.min(...means)).toBe(here);
  expect(here).toBeLessThan(12);
});

it('asks once for all that it begins with', async () => {
  // A scene that takes long comes later than the rest. Once drawn, it is there at once.
  const earlier = await newPage();
  await open(earlier, address());
  await replaced(earlier);
  const page = await newPage();
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    asked.push(`${request.method()} ${pathname}`);
  });
  await open(page, address());
  await replaced(page);
  expect(asked.filter((one) => one === 'GET /api/start')).toHaveLength(1);
  const needless = asked.filter((one) => /session|info|marks|timeline/.test(one));
  expect(needless).toEqual([]);
  // The token is gone from the address, and the page is there again without it.
  expect(new URL(page.url()).search).toBe('');
  await page.reload();
  await replaced(page);
});

it('knows where its plot is, whatever sizes were chosen', async () => {
  const page = await newPage();
  await open(page, address());
  await replaced(page);
  const chosen = { 'tree-width': 260, inspector: 410, bottom: 180 };
  await page.evaluate((sizes) => {
    for (const [name, size] of Object.entries(sizes))
      localStorage.setItem(`onca.${name}`, `${size}`);
  }, chosen);
  for (const panels of ['inspector.bottom.legend', 'bottom.legend', 'inspector.legend', 'legend']) {
    await page.goto('about:blank');
    const release = await holdScripts(page);
    await open(page, `${session.server('demo').origin}/#panels=${panels}`);
    await pictured(page);
    const there = await boxOf(page, '#first');
    release();
    await replaced(page);
    await expectSamePlace(page, there);
    await page.unroute(SCRIPTS);
  }
});

it('does not move while the minimap is on its way', async () => {
  const page = await newPage();
  const release = await holdScripts(page);
  await page.route('**/assets/Minimap*', () => {});
  await open(page, address());
  await pictured(page);
  const there = await boxOf(page, '#first');
  release();
  await replaced(page);
  // Whoever waits is told so after a while.
  await page.getByText('Loading …').first().waitFor(PATIENCE);
  const here = await boxOf(page, '[role="application"]');
  expect(here).toEqual(there);
});

it.each(['views=treemap', 'window=1000000000-2000000000', 'rows=18', 'depth=2', 'trace=2'])(
  'shows no picture where the address names something else: %s',
  async (fragment) => {
    const page = await newPage();
    const release = await holdScripts(page);
    await open(page, address(fragment));
    await page.locator('#first').waitFor({ state: 'attached', ...PATIENCE });
    await page.waitForFunction(() => document.styleSheets.length > 0);
    expect(await page.locator('#first').isVisible()).toBe(false);
    release();
    await page.getByRole('tab', { name: 'Timeline' }).waitFor(PATIENCE);
  },
);

it('has the picture in the theme that was chosen', async () => {
  const page = await newPage({ dark: false });
  await open(page, address());
  await replaced(page);
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await pass(page, 300);
  await page.goto('about:blank');
  const release = await holdScripts(page);
  await open(page, session.server('demo').origin);
  await pictured(page);
  expect(await picture(page).getAttribute('src')).toContain('theme=dark');
  expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
  release();
  await replaced(page);
});

it('says that a view cannot be loaded, and tries again', async () => {
  const page = await newPage();
  const chunk = '**/assets/TreemapView*.js';
  await page.route(chunk, (route) => route.abort());
  await open(page, address());
  await replaced(page);
  await page.getByRole('tab', { name: 'Treemap' }).click();
  const alert = page.getByRole('alert');
  await alert.waitFor(PATIENCE);
  expect(await alert.textContent()).toContain('could not be loaded');
  await page.unroute(chunk);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('toolbar', { name: /treemap/i }).waitFor(PATIENCE);
  expect(await alert.count()).toBe(0);
});
