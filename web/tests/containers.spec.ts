// The table of containers, what the inspector says of one, and the run at a glance.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { seriousFaults, type Visit } from './browser';
import { Server } from './onca';
import { answered, Session } from './session';
import { damagedTrace, unevenTrace } from './traces';

const N_RANKS = 40;
const ODD = 31;
const session = new Session(async (folder) => ({
  uneven: await Server.start([folder.write('uneven.paje', unevenTrace(N_RANKS, ODD))]),
  damaged: await Server.start([folder.write('damaged.paje', damagedTrace())]),
}));

const LARGE = { width: 1600, height: 1000 };
const SMALL = { width: 1280, height: 720 };

const panel = ({ page }: Visit) => page.getByRole('tabpanel', { name: 'Containers' });
const rows = (visit: Visit) => panel(visit).getByRole('rowgroup').getByRole('row');
const cells = async (visit: Visit, place: number) => {
  const texts = await rows(visit).nth(place).getByRole('gridcell').allInnerTexts();
  return texts.map((text) => text.trim());
};

async function picture(visit: Visit, name: string): Promise<void> {
  const folder = process.env['ONCA_PICTURES'] ?? session.folder.path;
  await visit.page.screenshot({ path: `${folder}/${name}.png` });
}

it.each([
  [LARGE, false],
  [SMALL, true],
])('tells who is unlike the others, and leads there: %o, dark: %s', async (size, dark) => {
  const visit = await session.visit('uneven', { size, dark, view: 'rows=18' });
  await visit.page.keyboard.press('3');
  // 3.5 s of rank 31 and 39 times 2 s: the mean is 2.0375 s.
  await expect
    .poll(() => cells(visit, 0))
    .toEqual([
      ...[`rank ${ODD}`, 'computing', '3.500 s', '87.5 %', '1', '3.500 s', '3.500 s'],
      ...['▲ +71.8 %', '166.667 ms in a slice at most'],
    ]);
  expect(
    await panel(visit)
      .getByText(`${2 * N_RANKS} rows`)
      .count(),
  ).toBe(1);
  // It waits for 0.5 s, the others for 2 s.
  await panel(visit).getByLabel('outliers only').check();
  await expect.poll(() => rows(visit).count()).toBe(2);
  expect((await cells(visit, 1))[7]).toBe('▼ −74.5 %');
  await picture(visit, `containers-${dark ? 'dark' : 'light'}`);
  // Pointing at it lights its name; a click selects it and scrolls to it.
  const name = visit.page.getByRole('treeitem', { name: `rank ${ODD}`, exact: true });
  await rows(visit).first().hover();
  const isThere = await name.count();
  await rows(visit).first().click();
  await name.waitFor();
  expect(await name.getAttribute('aria-selected')).toBe('true');
  if (size === SMALL) expect(isThere).toBe(0);
  expect(await name.getAttribute('class')).toContain('pointed');
  // The inspector says the same of it.
  const profile = visit.inspector.getByRole('region', { name: 'Profile' });
  await profile.getByText('1 × 3.500 s, longest 3.500 s').waitFor();
  await profile.getByText('71.8 % above the mean of all').waitFor();
  await picture(visit, `profile-${dark ? 'dark' : 'light'}`);
  expect(await seriousFaults(visit)).toEqual([]);
});

it('sorts, filters, and saves what it lists', async () => {
  const visit = await session.visit('uneven', { view: 'panels=inspector.bottom.containers' });
  await visit.tab('Containers');
  await panel(visit).getByLabel('Filter by name').fill('RANK 3');
  // Ranks 3 and 30 to 39, in two values.
  await expect.poll(() => panel(visit).getByText('22 rows').count()).toBe(1);
  await panel(visit).getByLabel('Value').selectOption('waiting');
  await expect.poll(() => panel(visit).getByText('11 rows').count()).toBe(1);
  await panel(visit).getByRole('button', { name: 'Container' }).click();
  expect((await cells(visit, 0))[0]).toBe('rank 3');
  await panel(visit).getByRole('button', { name: 'Own time' }).click();
  await panel(visit).getByRole('button', { name: 'Own time' }).click();
  expect((await cells(visit, 0)).slice(0, 3)).toEqual([`rank ${ODD}`, 'waiting', '500.000 ms']);
  const [download] = await Promise.all([
    visit.page.waitForEvent('download'),
    panel(visit).getByRole('button', { name: 'Save as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('uneven.paje-containers.csv');
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(lines).toHaveLength(12);
  const odd = lines.find((line) => line.startsWith(`/rank ${ODD},`));
  expect(odd).toContain(`,rank ${ODD},Process,State,waiting,500000000,0.5,0.125,1,`);
  expect(odd?.endsWith(',low')).toBe(true);
  // Another window, other numbers: nobody but rank 31 computes any more.
  await panel(visit).getByLabel('Filter by name').fill('');
  await panel(visit).getByLabel('Value').selectOption('computing');
  await visit.page.goto(
    `${session.server('uneven').origin}/#window=2500000000-4000000000&panels=inspector.bottom.containers`,
  );
  await expect.poll(() => panel(visit).getByText('1 row', { exact: true }).count()).toBe(1);
});

it('tells efficiency, who has most to do and lost records, each with its evidence', async () => {
  const visit = await session.visit('uneven', { size: LARGE });
  const glance = visit.page.getByRole('region', { name: 'At a glance' });
  // 2.0375 of 4 s on average, 3.5 s at most.
  await glance.getByText('50.9 %').waitFor();
  await glance.getByText('load balance 58.2 %, communication 87.5 %').waitFor();
  await glance.getByText('No record was lost.').waitFor();
  await picture(visit, 'glance');
  await glance.getByRole('button', { name: `rank ${ODD}` }).click();
  await panel(visit).waitFor();
  await visit.inspector.getByRole('heading', { name: `rank ${ODD}` }).waitFor();
  // One key leads back.
  await visit.page.keyboard.press('o');
  await glance.getByRole('button', { name: 'parallel efficiency' }).click();
  await visit.page.getByRole('application', { name: /efficiency/i }).waitFor();
  const damaged = await session.visit('damaged');
  await damaged.page.getByRole('region', { name: 'At a glance' }).getByText('1 record').click();
  await damaged.page.getByRole('tabpanel', { name: 'Problems' }).waitFor();
  await answered(damaged);
});
