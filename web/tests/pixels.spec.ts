// Page and file are one picture: the canvas is compared with the PNG of the same scene, pixel by
// pixel. Rows are thin, medium and tall, because each kind has rules of its own.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { holdScripts, launch, pass, slowly } from './browser';
import { differences } from './difference';
import { Server } from './onca';
import { Session } from './session';
import { shortStates } from './traces';

const ROWS = { thin: 160, medium: 60, tall: 12 } as const;
type Height = keyof typeof ROWS;

const session = new Session<Height>(async (folder) => {
  const serve = (height: Height) =>
    Server.start([folder.write(`${height}.paje`, shortStates(ROWS[height], 3000))]);
  return {
    thin: await serve('thin'),
    medium: await serve('medium'),
    tall: await serve('tall'),
  };
});
const PATIENCE = { timeout: 60_000 } as const;
/**
 * Where the border of two columns runs through the middle of a pixel, either may be seen: that are a
 * few columns of pixels.
 */
const MOST_OTHERS = 0.01;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

async function replaced(page: Page): Promise<void> {
  await page.locator('#first img').waitFor({ state: 'detached', ...PATIENCE });
  await page.getByRole('application').waitFor(PATIENCE);
}

it.each([
  ['thin', 'processor'],
  ['medium', 'processor'],
  ['tall', 'processor'],
  ['thin', 'graphics card'],
  ['medium', 'graphics card'],
  ['tall', 'graphics card'],
] as const)('shows %s rows as the file does, drawn by the %s', async (height, who) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  // The card draws where frames take too long.
  if (who === 'graphics card') await page.addInitScript(slowly);
  const { address } = session.server(height);
  // The second visit has the picture in the size of the plot.
  await page.goto(address, { waitUntil: 'commit' });
  await replaced(page);
  await page.goto('about:blank');
  const release = await holdScripts(page);
  await page.goto(address, { waitUntil: 'commit' });
  const picture = page.locator('#first img');
  await picture.waitFor(PATIENCE);
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0);
  const source = await picture.evaluate((image: HTMLImageElement) => image.currentSrc);
  const clip = await page.locator('#first').boundingBox();
  if (clip === null) throw new Error('the picture cannot be seen');
  const file = Buffer.from(await (await context.request.get(source)).body());
  release();
  await replaced(page);
  for (let step = 0; step < 6; step += 1) {
    await page.mouse.move(300 + 20 * step, 300);
    await pass(page, 100);
  }
  await page.mouse.move(2, 2);
  await pass(page, 700);
  const isOfCard = await page.getByRole('application').locator('canvas').nth(1).isVisible();
  expect(isOfCard).toBe(who === 'graphics card');
  const canvas = await page.screenshot({ clip });
  const [difference] = await differences(page, file, canvas, [[0, 0]]);
  await context.close();
  expect(difference?.others).toBeLessThan(MOST_OTHERS);
});
