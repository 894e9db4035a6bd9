// Two runs in one page: the same program, and a machine that is slow for a while in the second.

import { expect, it } from 'vitest';
import { middleOf, type Visit, type VisitOptions } from './browser';
import { run, Server } from './onca';
import { answered, questionsOf, Session } from './session';

const session = new Session(async (folder) => {
  const generate = (name: string, args: readonly string[]) => {
    const path = folder.file(name);
    run(['generate', 'iterative', '--procs', '32', '--events', '40000', ...args, '-o', path]);
    return path;
  };
  const before = generate('before.paje', ['--seed', '1']);
  const after = generate('after.paje', ['--seed', '4', '--slow-node', '3:1.3:1:2']);
  const [two, alone] = await Promise.all([Server.start([before, after]), Server.start([before])]);
  return { two, alone };
});

interface AskedScene {
  readonly before?: string;
  readonly part?: string;
  readonly align?: string;
}

let visit: Visit;
let asked: Map<string, AskedScene>;

async function open(options: VisitOptions = {}): Promise<void> {
  visit = await session.visit('two', options);
  asked = questionsOf(visit);
  await visit.page.getByRole('tab', { name: 'Compare' }).click();
  await pane().getByRole('application').waitFor();
  await changes().getByRole('button').first().waitFor();
  await answered(visit);
}
const pane = () => visit.page.getByRole('region', { name: /^Compare/ }).first();
const changes = () => visit.page.getByRole('region', { name: 'What changed' });
const picture = () => pane().getByRole('application');
const chosen = async () => {
  const views = (await visit.addressPart('views')) ?? '';
  const [first] = views.startsWith('[') ? (JSON.parse(views) as unknown[]) : [views];
  const { asked: kept } = (typeof first === 'object' ? first : {}) as {
    asked?: { compare?: Record<string, unknown> };
  };
  return kept?.compare ?? {};
};
const part = async () => (await chosen())['part'] as readonly [number, number] | undefined;

it('one trace alone has nothing to be compared with', async () => {
  visit = await session.visit('alone');
  await visit.page.getByRole('tab', { name: 'Space' }).waitFor();
  expect(await visit.page.getByRole('tab', { name: 'Compare' }).count()).toBe(0);
  await session.show(visit, 'alone', 'compare');
  await visit.page.getByText('There is one trace only.').waitFor();
});

it.each([
  [false, 1600, 1000],
  [true, 1280, 720],
])('tells what changed beside both timelines (dark: %s, %i × %i)', async (dark, width, height) => {
  await open({ dark, size: { width, height } });
  await changes()
    .getByText(/machine-3 takes 1\.\d+ times as long/)
    .waitFor();
  await changes().getByText('work of the busiest').waitFor();
  expect(asked.get('compare-timeline')).toMatchObject({ before: '1', window: null });
  const pictures = process.env['ONCA_PICTURES'] ?? session.folder.path;
  await visit.page.screenshot({ path: `${pictures}/compare-${dark ? 'dark' : 'light'}.png` });
  const box = await picture().boundingBox();
  expect(box?.width).toBeGreaterThan(width * 0.4);
});

it('a change moves both runs, and the address brings it back', async () => {
  await open();
  const first = changes().getByRole('button', { name: /machine-3/ });
  await first.click();
  await expect.poll(part).toBeDefined();
  await answered(visit);
  expect(asked.get('compare-timeline')?.part).toMatch(/^0\.\d+\.\.0\.\d+$/);
  expect(await first.getAttribute('aria-pressed')).toBe('true');
  const pictures = process.env['ONCA_PICTURES'] ?? session.folder.path;
  await visit.page.screenshot({ path: `${pictures}/compare-change.png` });
  const seen = await part();
  await visit.page.reload();
  await changes().getByRole('button').first().waitFor();
  expect(await part()).toEqual(seen);
  await changes().getByRole('button', { name: 'Whole runs' }).click();
  await expect.poll(part).toBeUndefined();
});

it('the wheel and keys move both timelines', async () => {
  await open();
  const [x, y] = await middleOf(picture(), 0.25, 0.3);
  await visit.page.mouse.move(x, y);
  await visit.page.mouse.wheel(0, -400);
  await expect.poll(part).toBeDefined();
  const [from = 0, to = 0] = (await part()) ?? [];
  await visit.page.mouse.wheel(0, -400);
  await expect
    .poll(async () => {
      const [next = 0, end = 0] = (await part()) ?? [];
      return end - next;
    })
    .toBeLessThan(to - from);
  await picture().focus();
  await visit.page.keyboard.press('d');
  await expect.poll(async () => ((await part()) ?? [0])[0]).toBeGreaterThan(from);
  await visit.page.keyboard.press('f');
  await expect.poll(part).toBeUndefined();
  // The window of the other views is that of one trace: it did not move.
  expect(await visit.window()).toBeNull();
});

it('swaps the runs: what is slow the one way is fast the other', async () => {
  await open();
  await pane().getByRole('button', { name: 'Swap the runs' }).click();
  await changes()
    .getByText(/machine-3 takes 0\.\d+ times as long/)
    .waitFor();
  await answered(visit);
  expect(asked.get('compare-timeline')?.before).toBe('2');
  expect(await chosen()).toEqual({ swapped: true });
});

it('shows every picture of the difference, and pairs times in other ways', async () => {
  await open();
  const pictures = process.env['ONCA_PICTURES'] ?? session.folder.path;
  for (const [title, view] of [
    ['Over time', 'compare-overview'],
    ['Treemap', 'compare-treemap'],
    ['Flame graph', 'compare-flame'],
    ['Matrix', 'compare-matrix'],
    ['Table', 'compare-table'],
  ] as const) {
    await pane().getByRole('button', { name: title }).click();
    await picture().waitFor();
    await expect.poll(() => asked.has(view)).toBe(true);
    await answered(visit);
    await visit.page.screenshot({ path: `${pictures}/${view}.png` });
  }
  await pane().getByLabel('Paired by').selectOption('begin');
  await expect.poll(() => asked.get('compare-table')?.align).toBe('begin');
  await answered(visit);
  // What is exported is what is seen.
  await visit.page.getByRole('button', { name: 'Export' }).click();
  await visit.page.getByText(/onca render compare-table .*before\.paje .*after\.paje/).waitFor();
});
