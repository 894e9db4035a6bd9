// The flat graph of who communicates with whom, beside the timeline.

import { expect, it } from 'vitest';
import type { Visit } from './browser';
import { run, Server } from './onca';
import { answered, questionsOf, Session } from './session';

interface Asked {
  readonly window?: { readonly from: number; readonly to: number };
  readonly layout?: string;
  readonly metric?: string;
  readonly depth?: number;
  readonly links?: { readonly nodes: readonly number[] } | string;
}

let visit: Visit;
let asked: Map<string, Asked>;

const session = new Session(async (folder) => {
  const trace = folder.file('ring.paje');
  run(['generate', 'pattern', 'ring', '--procs', '6', '-o', trace]);
  return { ring: await Server.start([trace]) };
});

const right = () => visit.page.getByRole('region', { name: 'Graph, right' });
const picture = () => right().getByRole('application');
const said = () =>
  visit.page.evaluate(() => document.querySelector('[role="tooltip"]')?.textContent?.trim() ?? '');
const rest = () => answered(visit);

async function open(view = '"graph"'): Promise<void> {
  visit = await session.visit('ring');
  asked = questionsOf(visit);
  // All rows can be seen.
  await session.show(visit, 'ring', `["timeline", ${view}]`, '&rows=fit');
  await picture().waitFor();
  await rest();
}

/** Points at one place after the other until a tip says what is looked for, and clicks there. */
async function clickOn(title: RegExp): Promise<void> {
  const at = await picture().evaluate(async (stage, source) => {
    const STEPS = 60;
    const { left, top, width, height } = stage.getBoundingClientRect();
    for (let probe = 0; probe < STEPS * STEPS; probe += 1) {
      const x = left + (width * ((probe % STEPS) + 0.5)) / STEPS;
      const y = top + (height * (Math.floor(probe / STEPS) + 0.5)) / STEPS;
      stage.dispatchEvent(
        new PointerEvent('pointermove', { clientX: x, clientY: y, bubbles: true }),
      );
      await new Promise((resolve) => setTimeout(resolve));
      const tip = document.querySelector('[role="tooltip"]')?.textContent?.trim() ?? '';
      if (new RegExp(source).test(tip)) return { x, y };
    }
    return null;
  }, title.source);
  if (at === null) throw new Error(`nothing says ${title}`);
  await visit.page.mouse.move(at.x, at.y);
  await expect.poll(said).toMatch(title);
  await visit.page.mouse.click(at.x, at.y);
}

it('nodes and edges tell what they are, and a click selects them in the timeline', async () => {
  await open();
  // A part of the pie of a node.
  await clickOn(/compute/);
  expect(await visit.addressPart('nodes')).toMatch(/^\d+$/);
  const rows = visit.page.locator('[role="treeitem"][aria-selected="true"]');
  await expect.poll(() => rows.count()).toBe(1);
  await clickOn(/^rank-\d+ and rank-\d+/);
  expect(await visit.addressPart('nodes')).toMatch(/^\d+\.\d+$/);
  await rest();
  const links = asked.get('timeline')?.links;
  expect(typeof links === 'object' ? links.nodes.length : 0).toBe(2);
});

it('follows the window of the timeline', async () => {
  await open();
  await visit.plot.first().focus();
  await visit.page.keyboard.press('w');
  const window = await visit.window();
  await rest();
  expect(window).not.toBeNull();
  expect(asked.get('graph')?.window).toEqual(window);
});

it('is laid out as chosen, and the address keeps it', async () => {
  await open();
  const colors = () =>
    picture()
      .locator('canvas')
      .first()
      .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  const before = await colors();
  await right().getByLabel('Layout').selectOption('layered');
  await right().getByLabel('Edges').selectOption('count');
  await rest();
  expect(asked.get('graph')).toMatchObject({ layout: 'layered', metric: 'count' });
  expect(await colors()).not.toBe(before);
  const views = await visit.addressPart('views');
  expect(views).toContain('"layout":"layered"');
  await open('{"view": "graph", "layout": "circular"}');
  expect(asked.get('graph')?.layout).toBe('circular');
});
