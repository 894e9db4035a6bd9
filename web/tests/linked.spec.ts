// Views beside each other: what is done in one is seen in the others.

import { expect, it } from 'vitest';
import { pass, seriousFaults } from './browser';
import {
  type Asked,
  asked,
  middleOf,
  open,
  rest,
  right,
  rightPicture,
  session,
  start,
  visit,
} from './panes';

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
  // The browser hands the wheel over a little later.
  await expect.poll(() => visit.window()).not.toBeNull();
  await rest();
  const window = await visit.window();
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
  await pass(next, 600);
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
    await expect.poll(zoomed).not.toEqual(before);
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
    if (name === 'Flame') {
      // It stands below a picture that leaves room for it.
      const tree = visit.page.getByRole('button', { name: 'Call tree' });
      if ((await tree.getAttribute('aria-pressed')) === 'false') await tree.click();
      await visit.page.getByRole('grid', { name: 'Call tree' }).waitFor();
    }
    await rest();
    expect(await seriousFaults(visit)).toEqual([]);
  }
});
