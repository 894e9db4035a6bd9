// Who draws: the processor, or the graphics card where that is too slow or there is none.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch, pass, slowly } from './browser';
import { differences } from './difference';
import { demoSession } from './session';

const session = demoSession();
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const withoutCard = () => {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...asked: unknown[]) {
    return asked[0] === 'webgl2' ? null : Reflect.apply(getContext, this, asked);
  } as typeof getContext;
};

const withoutCardSlowly = () => {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...asked: unknown[]) {
    return asked[0] === 'webgl2' ? null : Reflect.apply(getContext, this, asked);
  } as typeof getContext;
  let late = 0;
  const now = performance.now.bind(performance);
  performance.now = () => {
    late += 50;
    return now() + late;
  };
};

interface Seen {
  readonly picture: Buffer;
  readonly isOfCard: boolean;
}

/** What the plot of a view shows, on a page that was told something before. */
async function seen(view: string, before: () => void): Promise<Seen> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(before);
  await page.goto(`${session.server('demo').address}#${view}`);
  const plot = page.getByRole('application').first();
  await plot.waitFor();
  await page.waitForLoadState('networkidle');
  await stirred(page);
  const isOfCard = await plot.locator('canvas').nth(1).isVisible();
  const picture = await plot.screenshot();
  await context.close();
  return { picture, isOfCard };
}

/** Frames are drawn when something changes. */
async function stirred(page: Page): Promise<void> {
  for (let step = 0; step < 6; step += 1) {
    await page.mouse.move(300 + 20 * step, 300);
    await pass(page, 100);
  }
  await page.mouse.move(2, 2);
  await pass(page, 1000);
}

it.each([
  ['columns', ''],
  ['rows with links', 'rows=18&links=all'],
  ['single states', 'window=1000000000-1200000000&rows=18&links=all'],
  ['a treemap', 'views=treemap'],
  ['an overview', 'views=overview'],
])('processor and graphics card draw the same: %s', async (_, view) => {
  const [flat, card] = [await seen(view, withoutCard), await seen(view, slowly)];
  expect([flat.isOfCard, card.isOfCard]).toEqual([false, true]);
  const page = await browser.newPage();
  const [difference] = await differences(page, flat.picture, card.picture, [[0, 0]]);
  await page.close();
  expect(difference?.mean).toBeLessThan(1);
});

it.each([
  ['a card that is software', slowly, 1],
  ['no card', withoutCardSlowly, 0],
])('with %s, half the pixels while it moves and all at rest', async (_, before, place) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(before);
  await page.goto(`${session.server('demo').address}#rows=18&window=1000000000-2000000000`);
  const plot = page.getByRole('application').first();
  await plot.waitFor();
  await page.waitForLoadState('networkidle');
  await stirred(page);
  const canvas = plot.locator('canvas').nth(place);
  // Pixels of the canvas for each of the page, after each change: however soon it rests again.
  const ratios = await canvas.evaluateHandle((it: HTMLCanvasElement) => {
    const ratio = () => (it.width * it.height) / it.clientWidth / it.clientHeight;
    const seen = [ratio()];
    new MutationObserver(() => seen.push(ratio())).observe(it, { attributes: true });
    return seen;
  });
  await plot.focus();
  await page.keyboard.press('d');
  await pass(page, 1000);
  const seen = await ratios.jsonValue();
  expect(seen[0]).toBeCloseTo(1, 1);
  expect(Math.min(...seen)).toBeCloseTo(0.5, 1);
  expect(seen.at(-1)).toBeCloseTo(1, 1);
  await context.close();
});
