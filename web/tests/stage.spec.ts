// What all pictures have because they stand on one stage, and what a locked one has for itself.

import { expect, it } from 'vitest';
import { asked, middleOf, open, rest, right, rightPicture, visit } from './panes';

async function drag(from: readonly [number, number], to: readonly [number, number]): Promise<void> {
  await visit.page.mouse.move(...from);
  await visit.page.mouse.down();
  await visit.page.mouse.move(...to, { steps: 5 });
}

it('a window is selected along the ruler of a scene over time', async () => {
  await open('{"view": "charts", "chart": "concurrency"}');
  const ruler = right().locator('.ruler canvas');
  await drag(await middleOf(ruler, 0.25), await middleOf(ruler, 0.5));
  await visit.page.mouse.up();
  const [from, to] = ((await visit.addressPart('range')) ?? '').split('-').map(Number);
  expect((from ?? 0) / (to ?? 1)).toBeCloseTo(0.5, 1);
});

it('Escape takes back a window that is being selected, in any picture over time', async () => {
  await open('{"view": "charts", "chart": "concurrency"}');
  await rightPicture().focus();
  await visit.page.keyboard.down('Shift');
  await drag(await middleOf(rightPicture(), 0.25), await middleOf(rightPicture(), 0.5));
  await visit.page.keyboard.up('Shift');
  await visit.page.keyboard.press('Escape');
  await visit.page.mouse.up();
  expect(await visit.addressPart('range')).toBeNull();
});

it('a locked view hides rows for itself', async () => {
  await open('"treemap"');
  await right()
    .getByRole('button', { name: /keep window and lens/ })
    .click();
  await visit.page.mouse.click(...(await middleOf(rightPicture())));
  await rest();
  asked.clear();
  await visit.page.keyboard.press('h');
  await expect.poll(() => asked.get('treemap')?.lens?.select).toBeDefined();
  await rest();
  expect(await visit.addressPart('lens')).toBeNull();
});
