// Traces of other kinds: hostile names, lines of source, many rows.

import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type {} from '../src/paint/statistics';
import { launch, pass, Visit } from './browser';
import { Folder, run, Server } from './onca';
import {
  flatTrace,
  HOSTILE,
  hostileTrace,
  linkTrace,
  SOURCE_FILE,
  SOURCE_TEXT,
  sourceTrace,
} from './traces';

let folder: Folder;
let browser: Browser;
let server: Server | undefined;

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => {
  server?.stop();
  folder.remove();
});

async function open(args: readonly string[]): Promise<Visit> {
  server = await Server.start(args);
  return Visit.start(browser, server);
}

it('names from a trace are only ever text', async () => {
  const visit = await open([folder.write('hostile.paje', hostileTrace())]);
  const name = HOSTILE.replaceAll('"', "'");
  expect(await visit.page.getByText(name).count()).toBeGreaterThan(0);
  await visit.clickRow(name, 0.25);
  await visit.inspector.getByText('Where').waitFor();
  for (const key of ['2', '3', '6']) await visit.page.keyboard.press(key);
  await visit.page.keyboard.press('Control+k');
  await visit.page.keyboard.type('img');
  await pass(visit.page, 600);
  expect(await visit.page.evaluate(() => 'hacked' in window)).toBe(false);
  expect(await visit.page.locator('img').count()).toBe(0);
  expect(visit.complaints).toEqual([]);
  await visit.close();
});

it('lights the other end of a link, and all states of a value', async () => {
  const visit = await open([folder.write('link.paje', linkTrace())]);
  const plain = await drawnAbove(visit, 'rank 1', [0.55, 0.95]);
  await visit.pointAt('rank 0', 0.25);
  await visit.page.getByRole('tooltip').getByText('sending').waitFor();
  await pass(visit.page, 500);
  expect(await drawnAbove(visit, 'rank 1', [0.55, 0.95])).toBeGreaterThan(plain + 20);
  await visit.page.mouse.move(5, 5);
  await pass(visit.page, 300);
  const before = await visit.plot.screenshot();
  await visit.page.getByRole('button', { name: 'waiting', exact: true }).hover();
  await pass(visit.page, 500);
  expect((await visit.plot.screenshot()).equals(before)).toBe(false);
  expect(visit.complaints).toEqual([]);
  await visit.close();
});

/** Pixels of a part of a row where something is drawn above the picture: texts and outlines. */
async function drawnAbove(
  visit: Visit,
  row: string,
  [from, to]: readonly [number, number],
): Promise<number> {
  const box = await visit.page.getByRole('treeitem', { name: row }).boundingBox();
  return visit.page.evaluate(
    ({ top, height, from, to }) => {
      const canvas = document.querySelector<HTMLCanvasElement>('canvas.texts');
      // A copy: reading the canvas of the page itself would make the browser complain.
      const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      if (canvas === null || copy === null) return -1;
      const width = canvas.width * (to - from);
      const y = top - canvas.getBoundingClientRect().top;
      copy.canvas.width = width;
      copy.drawImage(canvas, -canvas.width * from, -y);
      const { data } = copy.getImageData(0, 0, width, height);
      return data.filter((byte, place) => place % 4 === 3 && byte > 0).length;
    },
    { top: box?.y ?? 0, height: box?.height ?? 1, from, to },
  );
}

it('tells of all containers that share a row', async () => {
  const visit = await open([folder.write('flat.paje', flatTrace(1200))]);
  await visit.page.goto(`${server?.origin}/#rows=fit`);
  await visit.page
    .getByRole('treeitem', { name: /rank \d+ – rank \d+/ })
    .first()
    .waitFor();
  const plot = await visit.plot.boundingBox();
  if (plot === null) throw new Error('no plot');
  const [x, y] = [plot.x + plot.width / 2, plot.y + plot.height / 2];
  await visit.page.mouse.move(x, y);
  const tip = visit.page.getByRole('tooltip').getByText(/^\d+ rows$/);
  await tip.waitFor();
  const n = Number.parseInt((await tip.textContent()) ?? '', 10);
  expect(n).toBeGreaterThan(1);
  await visit.page.mouse.click(x, y);
  await visit.inspector.getByText(new RegExp(`^${n}: rank \\d+, rank \\d+`)).waitFor();
  await visit.inspector.getByText('computing').waitFor();
  expect(visit.complaints).toEqual([]);
  await visit.close();
});

it('moves a row by dragging its name', async () => {
  const visit = await open([folder.write('link.paje', linkTrace())]);
  const names = () => visit.page.getByRole('treeitem').locator('.name').allTextContents();
  const leaves = async () => (await names()).filter((name) => name.startsWith('rank'));
  expect(await leaves()).toEqual(['rank 0', 'rank 1']);
  const row = (name: string) => visit.page.getByRole('treeitem', { name });
  await row('rank 1').dragTo(row('rank 0'), { targetPosition: { x: 40, y: 2 } });
  await expect.poll(leaves).toEqual(['rank 1', 'rank 0']);
  expect(visit.complaints).toEqual([]);
  await visit.close();
});

it('goes from a state to its line of source, and back from a line', async () => {
  folder.write(SOURCE_FILE, SOURCE_TEXT);
  const trace = folder.write('source.paje', sourceTrace());
  const visit = await open([trace, '--source-dir', folder.path]);
  await visit.clickRow('rank 0', 0.5);
  await visit.inspector.getByRole('button', { name: `${SOURCE_FILE}:3` }).click();
  await visit.page.locator('.line.current').getByText('send();').waitFor();
  await visit.page.getByText('1 entity of line 3').waitFor();
  await visit.page.getByRole('button', { name: /compute\(\);/ }).click();
  await visit.page.getByText('2 entities of line 2').waitFor();
  const made = visit.page.getByRole('grid', { name: 'What the line made' });
  await made.getByRole('row').nth(2).click();
  await visit.inspector.getByRole('button', { name: `${SOURCE_FILE}:2` }).waitFor();
  expect(visit.complaints).toEqual([]);
  await visit.close();
});

it('chooses between two traces', async () => {
  const first = folder.write('first.paje', sourceTrace());
  const second = folder.write('second.paje', hostileTrace());
  const visit = await open([first, second]);
  await visit.page.getByLabel('Trace', { exact: true }).selectOption({ label: 'second.paje' });
  await visit.page.waitForFunction(() => document.title.startsWith('second'));
  await visit.page.goBack();
  await visit.page.waitForFunction(() => document.title.startsWith('first'));
  expect(visit.complaints).toEqual([]);
  await visit.close();
});

it('stays responsive with a thousand rows', async () => {
  const trace = folder.file('rows.paje');
  run(['generate', 'iterative', '--procs', '1000', '--events', '300000', '-o', trace]);
  run(['index', trace]);
  const visit = await open([trace]);
  await visit.plot.focus();
  const frames = await visit.page.evaluate(async () => {
    const plot = document.querySelector('[role="application"]');
    const times: number[] = [];
    for (let i = 0; i < 12; i++) {
      const key = i % 2 === 0 ? 'w' : 'd';
      plot?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      const begin = performance.now();
      await new Promise((resolve) => requestAnimationFrame(resolve));
      times.push(performance.now() - begin);
    }
    return times;
  });
  const painted = await visit.page.evaluate(() => ({
    scripting: window.onca?.paint.frames ?? [],
    timeline: window.onca?.paint.canvases['timeline'],
  }));
  console.log(
    `1000 rows: ${median(frames)} ms a frame, of which ${median(painted.scripting)} ms scripting (medians);`,
    `${painted.timeline?.drawCalls} draw calls, ${painted.timeline?.vertices} vertices`,
  );
  expect(await visit.window()).not.toBeNull();
  expect(visit.complaints).toEqual([]);
  await visit.close();
});

function median(list: readonly number[]): string {
  const sorted = [...list].sort((a, b) => a - b);
  return (sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(1);
}
