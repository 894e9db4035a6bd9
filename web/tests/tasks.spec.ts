// Seventeen things that people do with the page, each as they do it, with the number of steps.

import { mkdirSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { launch, pass, type Visit, type VisitOptions, windowText } from './browser';
import { run, Server } from './onca';
import { answered, exported, Session } from './session';
import { damagedTrace, flatTrace, HOSTILE, hostileTrace, lateSenderTrace } from './traces';
import { User } from './user';

const session = new Session(async (folder) => {
  const write = (name: string, text: string) => folder.write(name, text);
  run(['demo', '--no-open', '-o', folder.file('demo.paje')]);
  mkdirSync(folder.file('more'));
  run(['generate', 'threads', '--seed', '2', '-o', folder.file('more/second.paje')]);
  const cache = { XDG_CACHE_HOME: folder.file('cache') };
  return {
    demo: await Server.start([folder.file('demo.paje'), '--allow', folder.file('more')], cache),
    late: await Server.start([write('late.paje', lateSenderTrace())], cache),
    many: await Server.start([write('many.paje', flatTrace(512))], cache),
    hostile: await Server.start([write('hostile.paje', hostileTrace())], cache),
    damaged: await Server.start([write('damaged.paje', damagedTrace())], cache),
  };
});
type Name = 'demo' | 'late' | 'many' | 'hostile' | 'damaged';

const counted: string[] = [];
afterAll(() => console.log(`steps of each task:\n${counted.join('\n')}`));

/** A task with the most steps that it may take. It begins with the page as it opens. */
function task(
  title: string,
  most: number,
  name: Name,
  act: (user: User, visit: Visit) => Promise<void>,
  options: VisitOptions = {},
): void {
  it(`${title}, in ${most} steps at most`, async () => {
    const visit = await session.visit(name, options);
    await answered(visit);
    const user = new User(visit);
    await act(user, visit);
    counted.push(`  ${String(user.steps).padStart(2)}  ${title}`);
    expect(user.steps).toBeGreaterThan(0);
    expect(user.steps).toBeLessThanOrEqual(most);
  });
}

const seconds = async (visit: Visit) => {
  const window = await visit.window();
  return window && { from: window.from / 1e9, to: window.to / 1e9 };
};
const ROWS: VisitOptions = { view: 'rows=18' };

task('find the slow machine', 1, 'demo', async (user, visit) => {
  const first = visit.page
    .getByRole('region', { name: 'What costs time' })
    .getByRole('button')
    .first();
  await first.getByText(/machine-13/).waitFor();
  await user.click(first);
  await visit.inspector.getByText('machine-13').first().waitFor();
  const shown = await seconds(visit);
  expect(shown?.from).toBeGreaterThan(1.5);
  expect(shown?.to).toBeLessThan(4);
});

task('zoom to an iteration', 2, 'demo', async (user, visit) => {
  await user.drag(0.4, 0.45, 'Alt');
  await expect.poll(async () => (await seconds(visit))?.to).toBeLessThan(3);
  const wide = await seconds(visit);
  await user.press('w');
  await expect
    .poll(async () => {
      const now = await seconds(visit);
      return now && wide && now.to - now.from < wide.to - wide.from;
    })
    .toBe(true);
});

task(
  'follow a message to its sender and back',
  4,
  'late',
  async (user, visit) => {
    const title = () => visit.inspector.locator('header').innerText();
    await user.clickRow('rank 1', 0.3);
    await expect.poll(title).toContain('MPI_Recv');
    await user.press('p');
    await visit.inspector.getByText('/rank 0').first().waitFor();
    await expect.poll(title).toContain('computing');
    await user.press('n');
    await expect.poll(title).toContain('MPI_Recv');
  },
  ROWS,
);

task('hide a value', 1, 'demo', async (user, visit) => {
  await user.click(visit.page.getByRole('button', { name: 'Hide computing' }));
  await visit.page.getByText('1 hidden').waitFor();
});

task(
  'group two rows',
  3,
  'demo',
  async (user, visit) => {
    const row = (name: string) => visit.page.getByRole('treeitem', { name, exact: true }).first();
    await user.click(row('rank-0'));
    await user.click(row('rank-1'), { modifiers: ['Shift'] });
    await user.press('g');
    await visit.page
      .getByRole('treeitem', { name: /^Group 1/ })
      .first()
      .waitFor();
  },
  ROWS,
);

task('search for a rank and show it', 4, 'demo', async (user, visit) => {
  await user.press('Control+k');
  await user.type('rank-77');
  await visit.page
    .getByRole('option', { name: /rank-77/ })
    .first()
    .waitFor();
  await user.press('Enter');
  await visit.inspector.getByText('rank-77').first().waitFor();
});

task('measure a span', 1, 'demo', async (user, visit) => {
  await user.drag(0.25, 0.5, 'Shift');
  const range = (await visit.addressPart('range')) ?? '';
  const [from = 0, to = 0] = range.split('-').map(Number);
  const length = 5.513844169e9;
  expect((to - from) / length).toBeGreaterThan(0.23);
  expect((to - from) / length).toBeLessThan(0.27);
});

task('compare two windows side by side', 4, 'demo', async (user, visit) => {
  await user.click(visit.page.getByRole('button', { name: /^Split/ }));
  const right = visit.page.getByRole('region', { name: /, right$/ });
  await right.waitFor();
  await user.click(right.getByRole('button', { name: 'Linked' }));
  await user.drag(0.4, 0.6, 'Alt');
  await expect.poll(() => visit.window()).not.toBeNull();
  const views = (await visit.addressPart('views')) ?? '';
  // The right one keeps what it showed.
  expect(views).toContain('window');
});

task('ask in SQL', 4, 'demo', async (user, visit) => {
  // The engine is a program of its own; what it says is of no matter here.
  const answer = {
    schema: 'onca-query/1',
    columns: [{ name: 'n', type: 'Int64' }],
    rows: [[4711]],
    truncated: false,
  };
  await visit.page.route('**/sql', (route) =>
    route.fulfill({
      json: route.request().method() === 'POST' ? answer : { schema: '', tables: [], examples: [] },
    }),
  );
  await user.press('7');
  await user.click(visit.page.getByRole('textbox', { name: 'SQL' }));
  await user.type('SELECT count(*) AS n FROM states');
  await user.press('Control+Enter');
  await visit.page.getByRole('gridcell', { name: '4711' }).waitFor();
});

task('export the picture', 2, 'demo', async (user, visit) => {
  await user.click(visit.page.getByRole('button', { name: 'Export', exact: true }));
  await visit.page.getByRole('dialog').locator('pre').waitFor();
  user.did();
  const { saved, drawn } = await exported(visit, session.folder);
  expect(saved.equals(drawn)).toBe(true);
});

task(
  'share a view and open it in another browser',
  2,
  'demo',
  async (user, visit) => {
    await user.click(visit.page.getByRole('button', { name: 'Share', exact: true }));
    await user.click(visit.page.getByRole('button', { name: 'Copy the address' }));
    const link = await visit.page.evaluate(() => navigator.clipboard.readText());
    const fresh = await launch();
    try {
      const page = await fresh.newPage();
      await page.goto(link);
      await expect.poll(() => windowText(page)).toMatch(/1\.0+ s – 2\.0+ s/);
    } finally {
      await fresh.close();
    }
  },
  { view: 'rows=18&window=1000000000-2000000000' },
);

task('find the longest wait with the keyboard alone', 9, 'late', async (user, visit) => {
  await user.press('Control+k');
  await user.type('rank 1');
  await visit.page
    .getByRole('option', { name: /rank 1/ })
    .first()
    .waitFor();
  await user.press('Enter');
  await visit.inspector.getByRole('heading', { name: 'rank 1' }).waitFor();
  const title = () => visit.inspector.locator('header').innerText();
  await user.press(']');
  await expect.poll(title).toContain('computing');
  await user.press(']');
  await expect.poll(title).toContain('MPI_Recv');
  await user.press('Shift+L');
  await visit.page.getByText('None is longer').waitFor();
  await user.press('Shift+M');
  await visit.page.getByRole('textbox', { name: 'Note of Note 1' }).waitFor();
});

task('open a second trace from the page', 2, 'demo', async (user, visit) => {
  await user.press('Control+o');
  const dialog = visit.page.getByRole('dialog', { name: 'Open a trace' });
  await user.click(
    dialog
      .getByRole('list', { name: 'Traces and folders' })
      .getByRole('button', { name: 'second.paje' }),
  );
  await visit.page.waitForFunction(() => document.title.startsWith('second.paje'));
  await visit.ready();
  expect(await visit.page.getByLabel('Trace', { exact: true }).locator('option').count()).toBe(2);
});

task(
  'read from far away, in a window that changes its size',
  4,
  'demo',
  async (user, visit) => {
    const { page } = visit;
    const titleHeight = async () => (await page.locator('h1').boundingBox())?.height ?? 0;
    const before = await titleHeight();
    await user.click(page.getByRole('button', { name: 'Reading size' }));
    await user.click(page.getByRole('button', { name: 'Reading size' }));
    await expect.poll(async () => (await titleHeight()) / before).toBeCloseTo(1.5, 1);
    await page.setViewportSize({ width: 1280, height: 720 });
    await user.press('b');
    await answered(visit);
    // The pointer still meets what is under it, and the page keeps to its window.
    const row = page.getByRole('treeitem', { name: 'rank-0', exact: true }).first();
    await user.clickRow('rank-0', 0.5);
    await expect.poll(() => row.getAttribute('aria-selected')).toBe('true');
    const [plot, foot] = [
      await visit.plot.boundingBox(),
      await page.locator('footer').boundingBox(),
    ];
    expect((plot?.x ?? 0) + (plot?.width ?? 0)).toBeLessThanOrEqual(1280);
    expect((foot?.y ?? 0) + (foot?.height ?? 0)).toBeLessThanOrEqual(721);
    // The next visit begins so.
    await page.reload();
    await visit.ready();
    await expect.poll(async () => (await titleHeight()) / before).toBeCloseTo(1.5, 1);
  },
  ROWS,
);

task('tell one of 512 rows', 3, 'many', async (user, visit) => {
  // All of them are in the first picture, two in a row where there is no more room.
  expect(await visit.page.locator('footer').innerText()).toMatch(/(256|51[23]) rows/);
  await user.press('Control+k');
  await user.type('rank 300');
  await visit.page
    .getByRole('option', { name: /rank 300/ })
    .first()
    .waitFor();
  await user.press('Enter');
  await visit.inspector.getByText('rank 300').first().waitFor();
  await pass(visit.page, 600);
});

task('read names that would like to be scripts', 2, 'hostile', async (user, visit) => {
  const name = HOSTILE.replaceAll('"', "'");
  await user.clickRow(name, 0.25);
  await visit.inspector.getByText('Where').waitFor();
  await user.press('u');
  await visit.page.getByRole('group', { name: 'Pinned rows' }).getByText(name).waitFor();
  expect(await visit.page.evaluate(() => 'hacked' in window)).toBe(false);
  expect(await visit.page.locator('img').count()).toBe(0);
});

task('see what a damaged trace has lost', 1, 'damaged', async (user, visit) => {
  await user.click(visit.page.getByRole('button', { name: '⚠' }));
  const panel = visit.page.getByRole('tabpanel', { name: 'Problems' });
  await panel.getByText('1 record had no effect').waitFor();
  await panel.getByText('bad-number').waitFor();
});
