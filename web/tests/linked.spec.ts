// Views beside each other: what is done in one is seen in the others.

import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { seriousFaults, type Visit, type VisitOptions } from './browser';
import { run, Server } from './onca';
import { answered, questionsOf, Session } from './session';

interface Asked {
  readonly window?: { readonly from: number; readonly to: number };
  readonly depth?: number;
  readonly p?: number;
  readonly lens?: { readonly select?: { readonly values?: { readonly only?: readonly string[] } } };
  readonly links?: { readonly of: readonly string[]; readonly nodes: readonly number[] } | string;
  readonly against?: { readonly from: number; readonly to: number };
  readonly path?: readonly string[];
  readonly agg?: string;
  readonly ratio?: string;
}

let visit: Visit;
/** What pictures were last asked for, by view. */
let asked: Map<string, Asked>;

const session = new Session(async (folder) => {
  run(['demo', '--no-open', '-o', folder.file('demo.paje')]);
  return { demo: await Server.start([folder.file('demo.paje')]) };
});

async function start(options: VisitOptions = {}): Promise<void> {
  visit = await session.visit('demo', options);
  asked = questionsOf(visit);
}

/** The timeline at the left and another view at the right. */
async function open(view: string, more = ''): Promise<void> {
  await start();
  await session.show(visit, 'demo', `["timeline", ${view}]`, more);
  await rightPicture().waitFor();
  await rest();
}

const right = () => visit.page.getByRole('region', { name: /, right$/ });
const rightPicture = () => right().getByRole('application');
const timeline = () => visit.page.getByRole('region', { name: 'Timeline, left' });

const rest = () => answered(visit);

/** Looks for a mark whose tip says something, row by row from a share of the height on, and clicks it. */
async function clickTitled(title: RegExp, below = 0): Promise<void> {
  const STEPS = 24;
  for (let row = Math.floor(below * STEPS); row < STEPS; row += 1) {
    for (let column = 0; column < STEPS; column += 1) {
      const [x, y] = await middleOf(rightPicture(), (column + 0.5) / STEPS, (row + 0.5) / STEPS);
      await visit.page.mouse.move(x, y);
      const said = await visit.page.evaluate(
        () => document.querySelector('[role="tooltip"]')?.textContent ?? '',
      );
      if (!title.test(said.trim())) continue;
      await visit.page.mouse.click(x, y);
      return;
    }
  }
  throw new Error(`nothing says ${title}`);
}

async function middleOf(place: Locator, across = 0.5, down = 0.5): Promise<[number, number]> {
  const box = await place.boundingBox();
  if (box === null) throw new Error('the picture cannot be seen');
  return [box.x + box.width * across, box.y + box.height * down];
}

it('a second view is opened, changed, moved and closed', async () => {
  await start();
  await visit.page.getByRole('button', { name: 'Split' }).click();
  await rest();
  expect(await right().getByRole('tab', { selected: true }).textContent()).toContain('Treemap');
  await right().getByRole('tab', { name: 'Charts' }).click();
  await visit.page.getByRole('button', { name: 'Swap the views' }).click();
  expect(await right().getByRole('tab', { selected: true }).textContent()).toContain('Timeline');
  const splitter = visit.page.getByRole('separator', { name: 'Width of the left view' });
  const before = Number(await splitter.getAttribute('aria-valuenow'));
  await splitter.focus();
  await visit.page.keyboard.press('ArrowRight');
  expect(Number(await splitter.getAttribute('aria-valuenow'))).toBeGreaterThan(before);
  await right().getByRole('button', { name: 'Close this view' }).click();
  expect(await visit.page.getByRole('application').count()).toBe(1);
});

it('a window changed in the timeline changes a treemap, and undo changes it back', async () => {
  await open('"treemap"');
  await visit.plot.first().focus();
  await visit.page.keyboard.press('w');
  const window = await visit.window();
  await rest();
  expect(asked.get('treemap')?.window).toEqual(window);
  await visit.page.keyboard.press('Control+z');
  await rest();
  expect(asked.get('treemap')?.window?.from).toBe(0);
});

it('a window changed over concurrency changes the timeline', async () => {
  await open('{"view": "charts", "chart": "concurrency"}');
  const [x, y] = await middleOf(rightPicture());
  await visit.page.mouse.move(x, y);
  await visit.page.mouse.wheel(0, -300);
  const window = await visit.window();
  expect(window).not.toBeNull();
  await rest();
  const drawn = asked.get('timeline')?.window;
  expect(drawn?.from).toBeLessThanOrEqual(window?.from ?? 0);
  expect(drawn?.to).toBeGreaterThanOrEqual(window?.to ?? 0);
  expect(asked.get('concurrency')?.window).toEqual(window);
});

it('a locked view keeps its window until it is linked again', async () => {
  await open('"treemap"');
  await right()
    .getByRole('button', { name: /keep window and lens/ })
    .click();
  await rest();
  asked.clear();
  await visit.plot.first().focus();
  await visit.page.keyboard.press('w');
  const window = await visit.window();
  await rest();
  expect(asked.get('treemap')).toBeUndefined();
  await right()
    .getByRole('button', { name: /follow the other views/ })
    .click();
  await rest();
  expect(asked.get('treemap')?.window).toEqual(window);
});

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
  const operator = right().getByLabel('Cells have the');
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
  const [saved] = await Promise.all([
    visit.page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  const words = (await dialog.locator('pre').innerText()).match(/'[^']*'|[^\s']+/g) ?? [];
  const { folder } = session;
  run(
    words.slice(1).map((word) => word.replaceAll("'", '')),
    folder.path,
  );
  const file = readFileSync(await saved.path());
  expect(file.equals(readFileSync(folder.file('treemap.svg')))).toBe(true);
});

it('the pointer over a treemap tells the path', async () => {
  await open('"treemap"');
  const [x, y] = await middleOf(rightPicture());
  await visit.page.mouse.move(x, y);
  const tip = visit.page.getByRole('tooltip');
  await tip.waitFor();
  expect(await tip.textContent()).toMatch(/site-1 › cluster-\d › machine-\d+ › rank-\d+/);
});

it('a treemap plays through time and leaves the window of the others alone', async () => {
  await open('"treemap"');
  await right().getByRole('button', { name: 'Play' }).click();
  await visit.page.waitForTimeout(1500);
  await right().getByRole('button', { name: 'Pause' }).click();
  await rest();
  const played = asked.get('treemap')?.window;
  expect(played?.from).toBeGreaterThan(0);
  expect(await visit.window()).toBeNull();
  await right().getByRole('button', { name: 'Step back' }).click();
  await rest();
  expect(asked.get('treemap')?.window?.from).toBeLessThan(played?.from ?? 0);
});

it('a pair of the matrix shows its links in the timeline', async () => {
  await open('{"view": "matrix", "depth": 2}', '&links=all');
  await clickTitled(/^cluster-1 to cluster-2/, 0.2);
  const nodes = (await visit.addressPart('nodes'))?.split('.').map(BigInt);
  expect(nodes).toHaveLength(2);
  expect(await visit.addressPart('links')).toBe('selection');
  await rest();
  // Only the links from the one to the other.
  const [from = 0n, to = 0n] = nodes ?? [];
  const pair = ((5n << 60n) | (from << 32n) | to).toString();
  expect(asked.get('timeline')?.links).toEqual({ of: [pair], nodes: [] });
  await clickTitled(/^cluster-3\s*receives/, 0.8);
  expect((await visit.addressPart('nodes'))?.split('.')).toHaveLength(1);
});

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

it('an address opens both views as they were', async () => {
  await open(
    '{"view": "treemap", "depth": 2, "own": {"window": {"from": 5, "to": 905}, "lens": {"version": 1}}}, 0.375',
  );
  await rest();
  const address = visit.page.url();
  const next = await visit.context.newPage();
  const requests: Asked[] = [];
  next.on('request', (request) => {
    if (request.url().endsWith('scene/treemap')) {
      requests.push(JSON.parse(request.postData() ?? '{}') as Asked);
    }
  });
  await next.goto(address);
  await next.getByRole('region', { name: 'Treemap, right' }).waitFor();
  await next.getByRole('region', { name: 'Timeline, left' }).waitFor();
  await next.waitForTimeout(600);
  expect(requests.at(-1)?.depth).toBe(2);
  expect(requests.at(-1)?.window).toEqual({ from: 5, to: 905 });
  const splitter = next.getByRole('separator', { name: 'Width of the left view' });
  const [first, all] = await Promise.all([
    splitter.getAttribute('aria-valuenow'),
    next.locator('.panes').evaluate((panes) => panes.clientWidth),
  ]);
  expect(Number(first) / all).toBeCloseTo(0.375, 2);
  expect(await next.getByRole('button', { name: /follow the other views/ }).count()).toBe(1);
});

it('every chart is drawn, in both themes', async () => {
  await start({ dark: true });
  await visit.page.getByRole('tab', { name: 'Charts' }).click();
  for (const name of ['Bars', 'Histogram', 'Concurrency', 'Efficiency', 'Pie']) {
    await visit.page.getByRole('button', { name, exact: true }).click();
    await rest();
    expect(asked.has(name.toLowerCase())).toBe(true);
    expect(await visit.page.getByRole('alert').count()).toBe(0);
  }
  const pictures = process.env['ONCA_PICTURES'] ?? session.folder.path;
  await visit.page.screenshot({ path: `${pictures}/charts.png` });
});

/** A busy machine is no failure. */
const PATIENCE = { timeout: 60_000 } as const;

const VIEWS: Readonly<Record<string, { readonly pane: string; readonly asks: string }>> = {
  Timeline: { pane: '"timeline"', asks: 'timeline' },
  Overview: { pane: '"overview"', asks: 'overview' },
  Treemap: { pane: '"treemap"', asks: 'treemap' },
  Matrix: { pane: '{"view": "matrix", "depth": 2}', asks: 'matrix' },
  Charts: { pane: '{"view": "charts", "chart": "concurrency"}', asks: 'concurrency' },
  Flame: { pane: '"flame"', asks: 'flame' },
};
const PAIRS = Object.keys(VIEWS).flatMap((left, place, all) =>
  all.slice(place + 1).map((right) => [left, right] as const),
);

it.each(PAIRS)('%s and %s change the window of each other', async (left, right) => {
  const [first, second] = [VIEWS[left], VIEWS[right]];
  if (first === undefined || second === undefined) throw new Error('no such view');
  await start();
  await visit.page.goto('about:blank');
  await session.show(visit, 'demo', `[${first.pane}, ${second.pane}]`);
  const pictures = visit.page.getByRole('application');
  await pictures.nth(1).waitFor();
  await rest();
  for (const [from, other] of [
    [0, second],
    [1, first],
  ] as const) {
    asked.clear();
    const before = await visit.window();
    await pictures.nth(from).focus();
    // A view without its picture yet has no time to zoom into.
    const zoomed = async () => {
      await visit.page.keyboard.press('w');
      return visit.window();
    };
    await expect.poll(zoomed, PATIENCE).not.toEqual(before);
    await rest();
    const window = await visit.window();
    const drawn = asked.get(other.asks)?.window;
    if (other.asks === 'timeline') {
      // It asks for some more around what is seen.
      expect(drawn?.from).toBeLessThanOrEqual(window?.from ?? -1);
      expect(drawn?.to).toBeGreaterThanOrEqual(window?.to ?? Infinity);
    } else {
      expect(drawn).toEqual(window);
    }
  }
});

it('a container selected in bars is selected in the timeline and in a treemap', async () => {
  await open('{"view": "charts", "chart": "bars", "depth": 2}');
  const [x, y] = await middleOf(rightPicture(), 0.5, 0.5);
  await visit.page.mouse.click(x, y);
  const nodes = await visit.addressPart('nodes');
  expect(nodes).toMatch(/^\d+$/);
  expect(await timeline().locator('[role="treeitem"][aria-selected="true"]').count()).toBe(1);
  await right().getByRole('tab', { name: 'Treemap' }).click();
  await rest();
  expect(await visit.addressPart('nodes')).toBe(nodes);
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
  expect(asked.get('treemap')?.against).toEqual({ from: 0, to: 1_000_000_000 });
  expect(asked.get('treemap')?.window).toEqual(window);
  const [x, y] = await middleOf(rightPicture());
  await visit.page.mouse.move(x, y);
  expect(await visit.page.getByRole('tooltip').innerText()).toMatch(/% → [\d.]+ %/);
  await right().getByLabel('How windows are compared').selectOption('beside');
  await rest();
  expect(await right().getByRole('application').count()).toBe(2);
  expect(asked.get('treemap')?.against).toBeUndefined();
  await right().getByRole('button', { name: 'End the comparison' }).click();
  expect(await right().getByRole('application').count()).toBe(1);
});

it('a click goes into a flame graph and out again, and the table has the same paths', async () => {
  await open('"flame"');
  await clickTitled(/^MPI_Allreduce/);
  await rest();
  expect(asked.get('flame')?.path).toEqual(['MPI_Allreduce']);
  expect(await visit.addressPart('value')).toMatch(/^\d+$/);
  await right().getByRole('button', { name: 'Call tree' }).click();
  await right().getByRole('gridcell', { name: 'MPI_Wait' }).first().click();
  await rest();
  expect(asked.get('flame')?.path).toEqual(['MPI_Allreduce', 'MPI_Wait']);
  await right().getByRole('button', { name: 'Everything' }).click();
  await rest();
  expect(asked.get('flame')?.path).toBeUndefined();
});

it('the values that count as useful can be chosen', async () => {
  await open('{"view": "charts", "chart": "efficiency"}');
  const useful = right().getByRole('group', { name: 'Useful values' });
  const chosen = useful.getByRole('button', { pressed: true });
  expect(await chosen.allInnerTexts()).toEqual(['computing']);
  await useful.getByRole('button', { name: 'MPI_Wait' }).click();
  await rest();
  expect(await chosen.count()).toBe(2);
  expect((asked.get('efficiency') as { lens?: { roles?: object } }).lens?.roles).toEqual({
    MPI_Wait: 'compute',
  });
  await useful.getByRole('button', { name: 'By role' }).click();
  await rest();
  expect(await chosen.count()).toBe(1);
});

it('durations marked in a histogram light their states in the timeline', async () => {
  await open('{"view": "charts", "chart": "histogram"}', '&window=2500000000-3000000000');
  const [x, y] = await middleOf(rightPicture(), 0.3, 0.8);
  await visit.page.mouse.move(x, y);
  await visit.page.mouse.down();
  await visit.page.mouse.move(x + 150, y, { steps: 4 });
  await visit.page.mouse.up();
  expect(await visit.addressPart('lasting')).toMatch(/^\d+-\d+$/);
  const lit = timeline().getByRole('status');
  await lit.waitFor();
  expect(await lit.innerText()).toMatch(/[1-9][\d,]* states? lit by duration/);
  await lit.getByRole('button').click();
  expect(await visit.addressPart('lasting')).toBeNull();
});

it('a report and every view are files, with their command', async () => {
  await open('{"view": "treemap", "depth": 2}', '&window=2500000000-2600000000');
  await rightPicture().click();
  await visit.page.getByRole('button', { name: 'Export', exact: true }).click();
  const dialog = visit.page.getByRole('dialog');
  await dialog.getByText(/onca render treemap .*--depth 2/).waitFor();
  const command = (await dialog.locator('pre').innerText()).split(' ').slice(1);
  const [saved] = await Promise.all([
    visit.page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  const file = readFileSync(await saved.path());
  run(command, session.folder.path);
  expect(file.equals(readFileSync(session.folder.file('treemap.svg')))).toBe(true);
  await dialog.getByLabel('What').selectOption('page');
  await dialog.getByText(/onca render page /).waitFor();
  const [report] = await Promise.all([
    visit.page.waitForEvent('download', { timeout: 250_000 }),
    dialog.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  expect(readFileSync(await report.path(), 'utf8')).toContain('<h2>Efficiency</h2>');
}, 300_000);

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
  await expect.poll(() => way.getByRole('button').count(), PATIENCE).toBe(3);
  await expect.poll(() => visit.window(), PATIENCE).not.toEqual(window);
  await way.getByRole('button').nth(1).click();
  await expect.poll(() => visit.window(), PATIENCE).toEqual(window);
});

it('a tab that is dragged to a side opens its view there', async () => {
  await start();
  const picture = await visit.plot.boundingBox();
  if (picture === null) throw new Error('no picture');
  await visit.page
    .getByRole('tab', { name: 'Matrix' })
    .dragTo(visit.page.getByRole('tabpanel').first(), {
      targetPosition: { x: 40, y: picture.height / 2 },
    });
  await rest();
  expect(await visit.page.getByRole('region', { name: 'Matrix, left' }).count()).toBe(1);
  expect(await visit.page.getByRole('region', { name: 'Timeline, right' }).count()).toBe(1);
});

it.each([
  ['light', false],
  ['dark', true],
])('no view has a serious fault of accessibility: %s', async (_, dark) => {
  await start({ dark });
  for (const name of ['Overview', 'Treemap', 'Matrix', 'Charts', 'Flame']) {
    await visit.page.getByRole('tab', { name }).click();
    await rest();
    if (name === 'Overview') {
      await visit.page.getByRole('button', { name: 'Curve and disruptions' }).click();
    }
    if (name === 'Charts') {
      await visit.page.getByRole('button', { name: 'Efficiency', exact: true }).click();
    }
    if (name === 'Flame') await visit.page.getByRole('button', { name: 'Call tree' }).click();
    await rest();
    expect(await seriousFaults(visit)).toEqual([]);
  }
});
