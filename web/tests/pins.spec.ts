// Rows that stay at the top, and notes on spans of time.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pass, seriousFaults, type Visit } from './browser';
import { run } from './onca';
import { answered, demoSession, questionsOf } from './session';

const session = demoSession();

const pinned = ({ page }: Visit) => page.getByRole('group', { name: 'Pinned rows' });
const pinnedNames = async (visit: Visit) =>
  (await pinned(visit).getByRole('listitem').allInnerTexts()).map((text) =>
    text.replace('×', '').trim(),
  );

it('a pinned row stays while the others scroll, in the address and by key', async () => {
  const visit = await session.visit('demo', { view: 'rows=18' });
  const { page } = visit;
  const asked = questionsOf<{ only?: number[] }>(visit);
  const row = page.getByRole('treeitem', { name: 'rank-3', exact: true }).first();
  await row.click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Pin this row/ }).click();
  await expect.poll(() => pinnedNames(visit)).toEqual(['rank-3']);
  await answered(visit);
  expect(asked.get('timeline')?.only).toHaveLength(1);
  const picture = pinned(visit).getByRole('application');
  const before = await picture.screenshot();
  const top = (await pinned(visit).boundingBox())?.y;
  await page.getByRole('tree').hover();
  await page.mouse.wheel(0, 1200);
  await row.waitFor({ state: 'detached' });
  await pass(page, 300);
  expect((await pinned(visit).boundingBox())?.y).toBe(top);
  expect(before.equals(await picture.screenshot())).toBe(true);
  // The same address shows the same pins.
  const pins = await visit.addressPart('pins');
  expect(pins).toMatch(/^\d+$/);
  const again = await session.visit('demo', { view: `rows=18&pins=${pins}` });
  await expect.poll(() => pinnedNames(again)).toEqual(['rank-3']);
  expect(await seriousFaults(again)).toEqual([]);
  // Keys pin what is selected, and let it go; a group sums up what lies below it.
  await again.page
    .getByRole('treeitem', { name: /cluster-1/ })
    .first()
    .click();
  await again.page.keyboard.press('u');
  await expect.poll(() => pinnedNames(again)).toEqual(['cluster-1', 'rank-3']);
  await again.page.keyboard.press('u');
  await expect.poll(() => pinnedNames(again)).toEqual(['rank-3']);
  await pinned(again).getByRole('button', { name: 'Unpin rank-3' }).click();
  await pinned(again).waitFor({ state: 'detached' });
});

it('a note on a window and a row is drawn, kept beside the store, and in the report', async () => {
  const visit = await session.visit('demo', { view: 'rows=18&range=1000000000-2000000000' });
  const { page } = visit;
  await page.getByRole('treeitem', { name: 'rank-3', exact: true }).first().click();
  await visit.plot.focus();
  await answered(visit);
  await page.keyboard.press('Shift+M');
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await expect.poll(() => name.inputValue()).toBe('Note 1');
  await page.getByText(/^– 2\.0+ s, .*rank-3$/).waitFor();
  await page.getByRole('textbox', { name: 'Note of Note 1' }).fill('here it <b>waits');
  expect(await visit.addressPart('marks')).toContain('[1000000000,"Note 1","here it <b>waits"');
  const kept = session.folder.file('demo.paje.onca-view/marks.json');
  await expect
    .poll(() => JSON.parse(readFileSync(kept, 'utf8')).marks)
    .toMatchObject([{ time: 1e9, end: 2e9, note: 'here it <b>waits' }]);
  run(['render', 'page', 'demo.paje', '-o', 'report.html'], session.folder.path);
  const report = readFileSync(session.folder.file('report.html'), 'utf8');
  const notes = report.slice(report.indexOf('>Notes<'));
  expect(notes).toContain('here it &lt;b&gt;waits');
  expect(notes).toMatch(/1\.0{9}.*2\.0{9}/s);
  // The box of the note is drawn over its row, and gone with it.
  const plot = visit.plot;
  await answered(visit);
  const drawn = await plot.screenshot();
  await page.getByRole('button', { name: 'Delete Note 1' }).click();
  await answered(visit);
  expect(drawn.equals(await plot.screenshot())).toBe(false);
});
