// What costs time, beside the first picture.

import { expect, it } from 'vitest';
import { asked, rest, session, start, visit } from './panes';

const list = () => visit.page.getByRole('region', { name: 'What costs time' });

it.each([false, true])(
  'is told before anybody asks, and a click shows it (dark: %s)',
  async (dark) => {
    await start({ dark });
    // The demo has a machine that is slow from 2 to 3.5 s, and it costs the most.
    const first = list().getByRole('button').first();
    await first.getByText(/machine-13 takes 1\.\d+ times as long as its peers/).waitFor();
    await first.getByText('slow', { exact: true }).waitFor();
    await rest();
    const pictures = process.env['ONCA_PICTURES'] ?? session.folder.path;
    await visit.page.screenshot({ path: `${pictures}/findings-${dark ? 'dark' : 'light'}.png` });
    await first.click();
    await expect.poll(() => visit.window()).not.toBeNull();
    const window = await visit.window();
    const seconds = (ticks: number | undefined) => (ticks ?? 0) / 1e9;
    expect(seconds(window?.from)).toBeGreaterThan(1.5);
    expect(seconds(window?.to)).toBeLessThan(4);
    expect(await visit.addressPart('nodes')).toMatch(/^\d+$/);
    // The inspector tells of the machine now; nothing selected leads back.
    await visit.page.getByLabel('Inspector').getByText('machine-13').first().waitFor();
    await visit.page.keyboard.press('Escape');
    await list().waitFor();
  },
);

it('hatches who waits, and draws the critical path', async () => {
  await start();
  await rest();
  const marks = () => visit.addressPart('causes');
  await visit.page.keyboard.press('c');
  await expect.poll(marks).toBe('path');
  await rest();
  expect(asked.get('timeline')).toMatchObject({ critical_path: true });
  await visit.page.keyboard.press('x');
  await expect.poll(marks).toBe('waits.path');
  await rest();
  expect(asked.get('timeline')).toMatchObject({ waits: true, critical_path: true });
  const pictures = process.env['ONCA_PICTURES'] ?? session.folder.path;
  await visit.page.screenshot({ path: `${pictures}/waits.png` });
  // The boxes of the panel say the same, and take it back.
  const box = visit.page.getByRole('checkbox', { name: 'critical path' });
  expect(await box.isChecked()).toBe(true);
  await box.uncheck();
  await expect.poll(marks).toBe('waits');
});

it('opens the overview where a finding is an area of its own', async () => {
  await start();
  const first = list().getByRole('article').first();
  await first.getByRole('button', { name: 'In the overview' }).click();
  const overview = visit.page.getByRole('region', { name: /^Overview/ });
  await overview.waitFor();
  await rest();
  // The usual trade-off is another: this one was chosen for the finding.
  await overview.getByRole('button', { name: 'Usual' }).waitFor();
  expect(asked.get('overview')?.p).toBeGreaterThan(0);
  const pictures = process.env['ONCA_PICTURES'] ?? session.folder.path;
  await visit.page.screenshot({ path: `${pictures}/finding-overview.png` });
});
