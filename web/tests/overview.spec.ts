// The overview beside the timeline.

import { expect, it } from 'vitest';
import { asked, middleOf, open, rest, right, rightPicture, visit } from './panes';

it('an area of the overview is shown in all views, and the way leads back', async () => {
  await open('"overview"');
  // Until all trade-offs are known, the picture may be of another, and coarser.
  await right()
    .getByText(/areas · .* lost/)
    .waitFor();
  await rest();
  const [x, y] = await middleOf(rightPicture(), 0.25);
  await visit.page.mouse.click(x, y);
  await expect.poll(() => visit.window()).not.toBeNull();
  const window = await visit.window();
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

it('a disruption selects its rows, and the way to a window leads back step by step', async () => {
  await open('"overview"');
  await right().getByRole('button', { name: 'Curve and disruptions' }).click();
  await right().getByRole('listitem').first().getByRole('button').click();
  const window = await visit.window();
  expect(window).not.toBeNull();
  expect(await visit.addressPart('nodes')).toMatch(/^\d+/);
  const way = right().getByRole('navigation', { name: 'Window' });
  await rightPicture().focus();
  await visit.page.keyboard.press('w');
  await visit.page.keyboard.press('w');
  await expect.poll(() => way.getByRole('button').count()).toBe(3);
  await expect.poll(() => visit.window()).not.toEqual(window);
  await way.getByRole('button').nth(1).click();
  await expect.poll(() => visit.window()).toEqual(window);
});

it('simpler partitions are asked for instead of the optimum, along both axes only', async () => {
  await open('"overview"');
  const choice = right().getByLabel(/Which areas are shown/);
  await choice.selectOption('grid');
  await rest();
  expect(asked.get('overview')).toMatchObject({ areas: 'grid' });
  await choice.selectOption('all');
  await rest();
  expect(asked.get('overview')).toMatchObject({ areas: 'all' });
  await right().getByLabel('Along which axes cells are joined').selectOption('time');
  await rest();
  expect(asked.get('overview')).not.toHaveProperty('areas');
});
