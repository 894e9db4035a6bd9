// The treemap beside the timeline.

import { expect, it } from 'vitest';
import { pass } from './browser';
import {
  asked,
  middleOf,
  open,
  rest,
  right,
  rightPicture,
  session,
  timeline,
  visit,
} from './panes';
import { exported } from './session';

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

it('a treemap shows several values, an operator and a ratio, and its command draws the same', async () => {
  await open('{"view": "treemap", "depth": 2}');
  const values = right().getByRole('group', { name: 'Values' });
  await values.getByRole('button', { name: /MPI_Wait/ }).click();
  await values.getByRole('button', { name: /computing/ }).click({ modifiers: ['Shift'] });
  await rest();
  const only = asked.get('treemap')?.lens?.select?.values?.only ?? [];
  expect([...only].sort()).toEqual(['MPI_Wait', 'computing']);
  await values.getByRole('button', { name: /MPI_Wait/ }).click({ modifiers: ['Shift'] });
  await values.getByRole('button', { name: /computing/ }).click();
  await rest();
  expect(asked.get('treemap')?.lens?.select).toBeUndefined();
  const operator = right().getByLabel('A cell is the');
  await operator.selectOption('max');
  await rest();
  expect(asked.get('treemap')?.agg).toBe('max');
  await operator.selectOption('formula');
  await right().getByLabel('Formula', { exact: true }).fill('max - min');
  await visit.page.keyboard.press('Enter');
  await right().getByLabel('Size').selectOption('ratio');
  const ratio = right().getByLabel('Ratio', { exact: true });
  expect(await ratio.inputValue()).toMatch(/^time:\w+ \/ time$/);
  await ratio.fill('time:MPI_Wait / nonsense');
  await visit.page.keyboard.press('Enter');
  await right()
    .getByRole('alert')
    .getByText(/ratio: column 17/)
    .waitFor();
  await ratio.fill('time:MPI_Wait / count:link');
  await visit.page.keyboard.press('Enter');
  await rest();
  // The browser notes that the question was refused, as often as it was asked.
  const refused = visit.complaints.splice(0);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.filter((text) => !text.includes('status of 400'))).toEqual([]);
  expect(asked.get('treemap')).toMatchObject({
    agg: 'max - min',
    ratio: 'time:MPI_Wait / count:link',
  });
  const [x, y] = await middleOf(rightPicture(), 0.3, 0.5);
  await visit.page.mouse.move(x, y);
  await visit.page.getByRole('tooltip').getByText('time:state:MPI_Wait / count:link').waitFor();
  const views = await visit.addressPart('views');
  expect(views).toContain('"agg":"max - min"');
  await visit.page.mouse.click(x, y);
  await visit.page.getByRole('button', { name: 'Export', exact: true }).click();
  const dialog = visit.page.getByRole('dialog');
  await dialog.getByText(/--ratio=time:MPI_Wait/).waitFor();
  const { saved, drawn } = await exported(visit, session.folder);
  expect(saved.equals(drawn)).toBe(true);
});

it('the pointer over a treemap tells the path once', async () => {
  await open('"treemap"');
  const [x, y] = await middleOf(rightPicture());
  await visit.page.mouse.move(x, y);
  const tip = visit.page.getByRole('tooltip');
  await tip.waitFor();
  const told = (await tip.textContent()) ?? '';
  expect(told).toMatch(/\/site-1\/cluster-\d\/machine-\d+\/rank-\d+/);
  expect(told.match(/rank-\d+/g)).toHaveLength(1);
});

it('a treemap plays through time and leaves the window of the others alone', async () => {
  await open('"treemap"');
  await right().getByRole('button', { name: 'Play' }).click();
  await pass(visit.page, 1500);
  await right().getByRole('button', { name: 'Pause' }).click();
  await rest();
  const played = asked.get('treemap')?.window;
  expect(played?.from).toBeGreaterThan(0);
  expect(await visit.window()).toBeNull();
  await right().getByRole('button', { name: 'Step back' }).click();
  await rest();
  expect(asked.get('treemap')?.window?.from).toBeLessThan(played?.from ?? 0);
});

it('a treemap moves smoothly from level to level, unless motion is not wanted', async () => {
  await open('"treemap"');
  const moves = () =>
    visit.page.evaluate(
      () =>
        new Promise<boolean>((resolve) => {
          const stop = setTimeout(() => resolve(false), 1500);
          const look = () => {
            if (document.querySelector('[data-moving]') === null) {
              requestAnimationFrame(look);
              return;
            }
            clearTimeout(stop);
            resolve(true);
          };
          look();
        }),
    );
  const [x, y] = await middleOf(rightPicture());
  await visit.page.mouse.move(x, y);
  const moved = moves();
  await visit.page.mouse.wheel(0, -100);
  expect(await moved).toBe(true);
  await rest();
  await visit.page.waitForFunction(() => document.querySelector('[data-moving]') === null);
  await visit.page.emulateMedia({ reducedMotion: 'reduce' });
  const calm = moves();
  await visit.page.mouse.wheel(0, -100);
  expect(await calm).toBe(false);
});

it('two windows are compared as a difference and side by side', async () => {
  await open('{"view": "treemap", "depth": 2}', '&window=0-1000000000');
  await right().getByRole('button', { name: 'Compare' }).click();
  await visit.plot.first().focus();
  await visit.page.keyboard.press('d');
  const window = await visit.window();
  await rest();
  expect(asked.get('treemap')).toMatchObject({ against_from: 0, against_to: 1_000_000_000 });
  expect(asked.get('treemap')?.window).toEqual(window);
  const [x, y] = await middleOf(rightPicture());
  await visit.page.mouse.move(x, y);
  expect(await visit.page.getByRole('tooltip').innerText()).toMatch(/% → [\d.]+ %/);
  await right().getByLabel('How windows are compared').selectOption('beside');
  await rest();
  expect(await right().getByRole('application').count()).toBe(2);
  expect(asked.get('treemap')?.against_to).toBeUndefined();
  await right().getByRole('button', { name: 'End the comparison' }).click();
  expect(await right().getByRole('application').count()).toBe(1);
});
