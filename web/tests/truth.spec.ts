// What the page says stays true: after a resize, under a pointer that rests, whatever the width.

import { expect, it } from 'vitest';
import type { Visit } from './browser';
import { Server } from './onca';
import { answered, Session } from './session';
import {
  burstsTrace,
  damagedTrace,
  linkTrace,
  namesakesTrace,
  notedTrace,
  ringTrace,
} from './traces';

const N_BURSTS = 60;
const session = new Session(async (folder) => {
  const damaged = folder.write('damaged.paje', damagedTrace());
  const link = folder.write('link.paje', linkTrace());
  return {
    two: await Server.start([damaged, link]),
    noted: await Server.start([folder.write('noted.paje', notedTrace())]),
    namesakes: await Server.start([folder.write('namesakes.paje', namesakesTrace())]),
    ring: await Server.start([folder.write('ring.paje', ringTrace(96))]),
    bursts: await Server.start([folder.write('bursts.paje', burstsTrace(N_BURSTS))]),
  };
});

const LARGE = { width: 1600, height: 1000 };
const SMALL = { width: 1280, height: 720 };

const tip = ({ page }: Visit) => page.getByRole('tooltip');

/** How wide the band at the top is, its picture, and where the handles of a window of its second half are. */
async function minimap({ page }: Visit) {
  return page.evaluate(() => {
    const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
    const [band, frame] = [box('.minimap'), box('.minimap .frame')];
    const canvas = document.querySelector<HTMLCanvasElement>('.minimap canvas');
    return {
      band: Math.floor(band?.width ?? 0),
      pixels: (canvas?.width ?? 0) / window.devicePixelRatio,
      from: ((frame?.left ?? 0) - (band?.left ?? 0)) / (band?.width ?? 1),
    };
  });
}

it('the strip at the top fits its place after a resize and without the inspector', async () => {
  const visit = await session.visit('two', { size: LARGE, view: 'window=2000000000-4000000000' });
  const fits = async () => {
    await expect
      .poll(async () => {
        const { band, pixels } = await minimap(visit);
        return pixels - band;
      })
      .toBe(0);
    expect((await minimap(visit)).from).toBeCloseTo(0.5, 2);
  };
  await fits();
  const wide = (await minimap(visit)).band;
  await visit.page.setViewportSize(SMALL);
  await expect.poll(async () => (await minimap(visit)).band).toBeLessThan(wide);
  await fits();
  await visit.plot.focus();
  await visit.page.keyboard.press('i');
  await expect.poll(async () => (await minimap(visit)).band).toBe(SMALL.width);
  await fits();
});

it('a tip tells what is under a pointer that rests while the picture moves', async () => {
  const visit = await session.visit('two', { view: 'rows=18&window=0-2000000000' });
  await visit.pointAt('rank 0', 0.6);
  await tip(visit).getByText('first').waitFor();
  // Most of the window on: what was at 1.2 s is now at 2.8 s.
  await visit.page.keyboard.press('Shift+D');
  await tip(visit).getByText('second').waitFor();
});

it('what was pointed at in one trace is not asked for in another', async () => {
  const visit = await session.visit('two', { view: 'rows=18' });
  for (const label of ['link.paje', 'damaged.paje', 'link.paje']) {
    await visit.clickRow('rank 0', 0.9);
    await tip(visit).waitFor();
    await visit.page.getByLabel('Trace', { exact: true }).selectOption({ label });
    await visit.page.waitForFunction((name) => document.title.startsWith(name), label);
    await answered(visit);
  }
});

it('types of one name do not break the overview', async () => {
  const visit = await session.visit('namesakes');
  await session.show(visit, 'namesakes', '["overview"]');
  await answered(visit);
  const names = visit.page.getByRole('option', { name: 'power', exact: true });
  expect(await names.count()).toBe(1);
});

it('the badge counts errors and warnings, and notes are in the panel', async () => {
  const noted = await session.visit('noted');
  await noted.tab('Problems');
  const panel = noted.page.getByRole('tabpanel', { name: 'Problems' });
  await panel.getByRole('heading', { name: 'Worth knowing' }).waitFor();
  await panel.getByText('reference-by-name').waitFor();
  expect(await noted.page.getByText('⚠').count()).toBe(0);
  const damaged = await session.visit('two');
  const badge = damaged.page.getByRole('button', { name: '⚠' });
  expect((await badge.innerText()).trim()).toBe('⚠ 1 error');
});

it.each([LARGE, SMALL])('cells of a matrix of 96 ranks tell their number: $width', async (size) => {
  const visit = await session.visit('ring', { size });
  await session.show(visit, 'ring', '["matrix"]');
  await answered(visit);
  const box = await visit.plot.boundingBox();
  if (box === null) throw new Error('no picture');
  // Each sends one message more than its number, to the next. Where there is too little room, cells share a place.
  const found = await findTip(visit, box, /^rank \d+.* to rank/);
  expect(found).toMatch(/\d+ messages/);
  const [, rank] = /^rank (\d+) to/.exec(found) ?? [];
  if (rank !== undefined) expect(found).toContain(`${Number(rank) + 1} messages`);
});

async function findTip(
  visit: Visit,
  box: { x: number; y: number; width: number; height: number },
  said: RegExp,
): Promise<string> {
  // The matrix is a square in the middle.
  const from = box.x + (box.width - box.height) / 2;
  for (let x = from; x < box.x + box.width; x += 1.5) {
    await visit.page.mouse.move(x, box.y + box.height / 2);
    const text = await visit.page.evaluate(
      () => document.querySelector('[role="tooltip"]')?.textContent ?? '',
    );
    if (said.test(text.trim())) return text.trim();
  }
  throw new Error(`nothing says ${said}`);
}

it('the number of phases does not depend on the width of the window', async () => {
  const phases = async (size: { width: number; height: number }) => {
    const visit = await session.visit('bursts', { size });
    await session.show(visit, 'bursts', '["phases"]');
    const slider = visit.page.getByRole('slider', { name: 'Number of phases' });
    await expect.poll(() => slider.inputValue()).not.toBe('1');
    await answered(visit);
    return { value: await slider.inputValue(), label: await visit.plot.getAttribute('aria-label') };
  };
  const told = { value: String(N_BURSTS), label: expect.stringContaining(`${N_BURSTS} phases`) };
  expect(await phases(LARGE)).toEqual(told);
  // A slot takes 18 pixels: not all of them fit beside the details here.
  expect(await phases({ width: 900, height: 720 })).toEqual(told);
});

it('a chart without data says why in the place of the picture', async () => {
  const visit = await session.visit('two');
  await session.show(visit, 'two', '[{"view": "charts", "chart": "pie"}]');
  await answered(visit);
  const charts = visit.page.getByRole('group', { name: 'Chart' });
  // The trace has no messages.
  const traffic = charts.getByRole('button', { name: 'Traffic', exact: true });
  const why = (await traffic.getAttribute('title')) ?? '';
  expect(why).toMatch(/no (links|messages)/);
  await traffic.click();
  await visit.page.getByRole('status').getByText(why).waitFor();
  expect(await visit.page.getByRole('application').count()).toBe(0);
});
