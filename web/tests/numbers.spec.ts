// Histograms, shares, axes: what numbers of a chart mean, and that they are the same everywhere.

import type { Response } from 'playwright-core';
import { expect, it } from 'vitest';
import { decodeScene, type Scene } from '../src/api/scene';
import { middleOf, type Visit } from './browser';
import { Server } from './onca';
import { answered, Session } from './session';
import { crowdTrace, halvesTrace, kindsTrace, lateSenderTrace, lengthsTrace } from './traces';

const session = new Session(async (folder) => ({
  lengths: await Server.start([folder.write('lengths.paje', lengthsTrace())]),
  halves: await Server.start([folder.write('halves.paje', halvesTrace())]),
  crowd: await Server.start([folder.write('crowd.paje', crowdTrace())]),
  late: await Server.start([folder.write('late.paje', lateSenderTrace())]),
  kinds: await Server.start([folder.write('kinds.paje', kindsTrace())]),
}));
type Name = 'lengths' | 'halves' | 'crowd' | 'late' | 'kinds';

/** Opens a chart alone, and returns the scene that was drawn. */
async function chart(visit: Visit, name: Name, options: object): Promise<Scene> {
  const view = { view: 'charts', ...options };
  const isScene = (response: Response) =>
    response.url().includes('/scene/') && response.status() === 200;
  const [response] = await Promise.all([
    visit.page.waitForResponse(isScene),
    session.show(visit, name, JSON.stringify([view])),
  ]);
  const body = await response.body();
  const bytes = new Uint8Array(body).buffer;
  await answered(visit);
  return decodeScene(bytes);
}

const picture = ({ page }: Visit) => page.getByRole('application').first();
const tip = ({ page }: Visit) => page.getByRole('tooltip');

/** Points at a place of a scene in pixels. */
async function pointIn(visit: Visit, x: number, y: number): Promise<void> {
  const [left, top] = await middleOf(picture(visit), 0, 0);
  await visit.page.mouse.move(left + x, top + y);
}

it('a histogram for each value, with axes and bins much finer than a factor of two', async () => {
  const visit = await session.visit('lengths', { size: { width: 1600, height: 1000 } });
  const scene = await chart(visit, 'lengths', { chart: 'histogram' });
  expect(scene.plots).toHaveLength(2);
  for (const { edges } of scene.plots) {
    const ratios = edges.slice(1).map((edge, place) => edge / (edges[place] ?? 1));
    expect(Math.max(...ratios)).toBeLessThan(1.5);
  }
  const labels = scene.layers.filter((layer) => layer.kind === 'labels');
  const written = labels.flatMap(({ text }) => [...text].map((at) => scene.texts[at - 1] ?? ''));
  const all = [...written, ...scene.texts];
  for (const text of ['short', 'long', 'states', 'duration', '10 s']) expect(all).toContain(text);
  // Both have the same axis: what is ten times as long is far to the right of the other.
  const lasting = (place: number) => {
    const layer = scene.layers.find(({ kind }) => kind === 'rects' && place >= 0);
    const columns = scene.layers.flatMap((layer) => (layer.kind === 'rects' ? [layer] : []));
    const { bounds } = scene.plots[place] ?? { bounds: scene.view };
    const xs = columns.flatMap(({ x0, y0 }) =>
      [...x0].filter((x, at) => x >= bounds.x0 && x < bounds.x1 && (y0[at] ?? 0) >= bounds.y0),
    );
    expect(layer).toBeDefined();
    return (Math.min(...xs) - bounds.x0) / (bounds.x1 - bounds.x0);
  };
  expect(Math.abs(lasting(0) - lasting(1))).toBeGreaterThan(0.3);
  await visit.page.screenshot({
    path: `${process.env['ONCA_PICTURES'] ?? session.folder.path}/histograms.png`,
  });
});

it('a drag over a histogram marks whole columns of that value alone', async () => {
  const visit = await session.visit('lengths', { size: { width: 1600, height: 1000 } });
  const scene = await chart(visit, 'lengths', { chart: 'histogram' });
  const plot = scene.plots[1];
  if (plot === undefined) throw new Error('no second histogram');
  const { x0, x1, y0, y1 } = plot.bounds;
  await pointIn(visit, x0 + 1, (y0 + y1) / 2);
  await visit.page.mouse.down();
  await pointIn(visit, (x0 + x1) / 2, (y0 + y1) / 2);
  await pointIn(visit, x1 - 1, (y0 + y1) / 2);
  await visit.page.mouse.up();
  const [from, to] = ((await visit.addressPart('lasting')) ?? '').split('-').map(Number);
  expect([from, to]).toEqual([plot.edges[0], plot.edges.at(-1)]);
  expect(Number(await visit.addressPart('value'))).toBe(plot.value);
});

it('a share has the same digits in the pie and in the legend, and says what it is of', async () => {
  const visit = await session.visit('halves', { size: { width: 1600, height: 1000 } });
  const scene = await chart(visit, 'halves', { chart: 'pie' });
  expect(scene.texts).toContain('computing  12.3 %');
  expect(scene.texts.some((text) => /shares of all time/.test(text))).toBe(true);
  const legend = visit.page.getByRole('region', { name: 'Values' });
  await legend.getByText('12.3 %').waitFor();
  await legend.getByText('Share of all states').waitFor();
});

it('statistics tell own time apart from lengths', async () => {
  const visit = await session.visit('halves');
  await visit.page.keyboard.press('2');
  const panel = visit.page.getByRole('tabpanel', { name: 'Statistics' });
  await panel.getByText('lengths are from start to end').waitFor();
  await panel.getByRole('columnheader', { name: 'Own time' }).waitFor();
});

it('lines that lead from the slices of a pie to their names do not cross', async () => {
  const visit = await session.visit('crowd', { size: { width: 1600, height: 1000 } });
  const scene = await chart(visit, 'crowd', { chart: 'pie' });
  const parts = scene.layers.flatMap((layer) => {
    if (layer.kind !== 'lines') return [];
    return [...layer.firstPoint].slice(0, -1).flatMap((first, line) => {
      const end = layer.firstPoint[line + 1] ?? first;
      return Array.from({ length: end - first - 1 }, (_, at) => {
        const place = first + at;
        const point = (at: number) => [layer.x[at] ?? 0, layer.y[at] ?? 0] as const;
        return { line, from: point(place), to: point(place + 1) };
      });
    });
  });
  expect(new Set(parts.map(({ line }) => line)).size).toBeGreaterThan(8);
  for (const one of parts) {
    for (const other of parts) {
      if (one.line < other.line) expect(cross(one, other)).toBe(false);
    }
  }
});

interface Part {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
}

/** Do two pieces of lines cross in their insides? */
function cross(a: Part, b: Part): boolean {
  const side = ([px, py]: Part['from'], { from, to }: Part) =>
    Math.sign((to[0] - from[0]) * (py - from[1]) - (to[1] - from[1]) * (px - from[0]));
  return side(a.from, b) * side(a.to, b) < 0 && side(b.from, a) * side(b.to, a) < 0;
}

it('a chart over time has a ruler, and its height has amounts with their unit', async () => {
  const visit = await session.visit('lengths', { size: { width: 1600, height: 1000 } });
  const scene = await chart(visit, 'lengths', { chart: 'durations' });
  expect(scene.upright?.name).toBe('duration of long');
  expect(scene.upright?.marks.length).toBeGreaterThan(1);
  for (const { text } of scene.upright?.marks ?? []) expect(text).toMatch(/ s$/);
  await visit.page.locator('.ruler canvas').first().waitFor();
  await pointIn(visit, 5, 5);
  await expect.poll(() => tip(visit).count()).toBe(0);
});

const SIZES = [
  { width: 1600, height: 1000 },
  { width: 1280, height: 720 },
];

it.each(SIZES)('a flame graph leaves its room to the call tree: $width', async (size) => {
  const visit = await session.visit('lengths', { size });
  await session.show(visit, 'lengths', '["flame"]');
  await answered(visit);
  // One depth of states: the rest of the view has the same paths as a table.
  await pointIn(visit, 40, 45);
  await tip(visit).getByText('long', { exact: true }).waitFor();
  await visit.page.getByRole('gridcell', { name: 'long' }).first().waitFor();
});

it.each(SIZES)('a matrix uses the room: $width', async (size) => {
  const visit = await session.visit('late', { size });
  await session.show(visit, 'late', '["matrix"]');
  await answered(visit);
  const view = await visit.page.locator('main').boundingBox();
  const plot = await picture(visit).boundingBox();
  const share = (plot?.height ?? 0) / (view?.height ?? 1);
  expect(share).toBeGreaterThan(0.8);
});

it('a pie begins with a type that has states, and types of one name are one choice', async () => {
  const visit = await session.visit('kinds');
  await chart(visit, 'kinds', { chart: 'pie' });
  const of = visit.page.locator('label', { hasText: /^Of/ }).locator('select');
  await expect.poll(() => of.inputValue()).toBe('Work');
  expect(await of.locator('option', { hasText: 'Work' }).count()).toBe(1);
  expect(await of.locator('option', { hasText: 'Idle' }).count()).toBe(1);
  // What has no states says so where the picture would be, and the way back has one.
  await of.selectOption('Idle');
  await visit.page.getByText('no container that is seen has states').waitFor();
  expect(await visit.page.getByRole('alert').count()).toBe(0);
  await of.selectOption('Work');
  await expect.poll(() => visit.page.getByText('no container that is seen').count()).toBe(0);
  expect(visit.complaints.splice(0).every((complaint) => complaint.includes('422'))).toBe(true);
});

it('pictures of messages say that there are none, in the place of the picture', async () => {
  const visit = await session.visit('halves');
  await session.show(visit, 'halves', 'matrix');
  await visit.page.getByText('there are no links between containers in what is seen').waitFor();
  expect(await visit.page.getByRole('alert').count()).toBe(0);
  expect(await visit.page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await session.show(visit, 'halves', 'phases');
  await answered(visit);
  await expect.poll(() => picture(visit).getAttribute('aria-label')).toMatch(/phases/i);
  await expect
    .poll(() => visit.page.getByRole('complementary', { name: 'Details of phases' }).count())
    .toBe(0);
  expect(visit.complaints.splice(0).every((complaint) => complaint.includes('422'))).toBe(true);
});
