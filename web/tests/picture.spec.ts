// The picture of the page in the README: no test, so it is skipped unless `scripts/pictures` asks for it.

import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Visit } from './browser';
import { answered, demoSession } from './session';
import { smallPng } from './small_png';

const session = demoSession();
const pictures = process.env['ONCA_PICTURES'];

/** Machines over the part of the trace where something is wrong, and what looks alike beside it. */
const VIEW = new URLSearchParams({
  window: '1500000000-5300000000',
  depth: '3',
  links: 'none',
  views: '["timeline","overview",0.62]',
});

const row = ({ page }: Visit, name: string) => page.getByRole('treeitem', { name }).first();

/** Clicks at a share of the width of the timeline, which is the view at the left. */
async function clickRow(visit: Visit, name: string, share: number): Promise<void> {
  const { page } = visit;
  const box = await row(visit, name).boundingBox();
  const plot = await page.getByRole('application').first().boundingBox();
  if (box === null || plot === null) throw new Error(`row ${name} cannot be seen`);
  await page.mouse.click(plot.x + plot.width * share, box.y + box.height / 2);
}

it.skipIf(pictures === undefined)('shows the demo trace as the README does', async () => {
  const size = { width: 1600, height: 1000 };
  const visit = await session.visit('demo', { size, view: VIEW.toString() });
  const { page } = visit;
  // Without the variable, states have the whole row.
  await page.getByRole('button', { name: 'Hide Power' }).click();
  await row(visit, 'machine-13').getByRole('button').click();
  await row(visit, 'rank-49').waitFor();
  await answered(visit);
  await clickRow(visit, 'rank-49', 0.3);
  await visit.inspector.getByText('rank-49').first().waitFor();
  await page.getByRole('button', { name: 'Hide computing' }).hover();
  await page.mouse.wheel(0, -1000);
  await page.mouse.move(size.width / 2, size.height - 1);
  // Until then it is a first picture.
  await page.getByText(/\d areas/).waitFor();
  await answered(visit, 1000);
  writeFileSync(`${pictures}/page.png`, await smallPng(page, await page.screenshot()));
  expect(await page.getByRole('alert').count()).toBe(0);
});
