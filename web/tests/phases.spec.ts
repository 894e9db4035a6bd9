// Phases of communication: sliders, unfolding, and what is seen in other views.

import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { pass, seriousFaults, type Visit, type VisitOptions } from './browser';
import { Server } from './onca';
import { answered, questionsOf, Session } from './session';
import { phasesTrace } from './traces';

interface Asked {
  readonly window?: { readonly from: number; readonly to: number };
  readonly phases?: number;
  readonly communities?: number;
  readonly wave?: number;
  readonly height?: number;
  readonly curve?: string;
  readonly bands?: number;
  readonly messages?: {
    readonly within?: { readonly first: number; readonly last: number };
    readonly among?: readonly number[];
    readonly functions?: readonly string[];
  };
  readonly lens?: { readonly group?: readonly object[] };
  readonly links?: { readonly nodes: readonly number[] } | string;
}

const SECOND = 1e9;

let visit: Visit;
/** What pictures were last asked for, by view. */
let asked: Map<string, Asked>;

const session = new Session(async (folder) => ({
  phases: await Server.start([folder.write('phases.paje', phasesTrace())]),
}));

/** The timeline at the left and phases at the right; flat, so that places are easy to tell. */
const VIEWS = '["timeline", {"view": "phases", "wave": 0}, 0.2]';

async function open(options: VisitOptions = {}, views = VIEWS): Promise<void> {
  visit = await session.visit('phases', options);
  asked = questionsOf(visit);
  await session.show(visit, 'phases', views);
  await picture().waitFor();
  await rest();
}

const right = () => visit.page.getByRole('region', { name: /, right$/ });
const picture = () => right().getByRole('application');
const details = () => right().getByRole('complementary', { name: 'Details of phases' });
const unfolded = () => right().getByRole('navigation', { name: 'Unfolded' });

/** A click waits for a second one. */
const rest = () => answered(visit, 700);

/** What the picture leaves free above and below the bars of communities. */
const [ABOVE, BELOW] = [26, 76];

/** A place in a phase, by shares of its width and of the height of its bars. */
async function inPhase(
  at: number,
  of: number,
  across: number,
  down: number,
): Promise<[number, number]> {
  const box = await boxOf(picture());
  const y = ABOVE + (box.height - ABOVE - BELOW) * down;
  return [box.x + (box.width * (at + across)) / of, box.y + y];
}
async function boxOf(place: Locator) {
  const box = await place.boundingBox();
  if (box === null) throw new Error('the picture cannot be seen');
  return box;
}
/** Between two communities, of four. */
const GROUND = [0.5, 0.252] as const;
/** The left bar of the first community, of four: a slot begins with room for ribbons. */
const BAR = [0.13, 0.1] as const;
const BAND = [0.5, 0.12] as const;

async function click(at: readonly [number, number], phase = 0, of = 3): Promise<void> {
  await visit.page.mouse.click(...(await inPhase(phase, of, ...at)));
  await rest();
}

it('finds three phases and two patterns without being told', async () => {
  await open();
  expect(await details().textContent()).toContain('48 messages · 3 phases · 2 patterns');
  await visit.page.mouse.move(...(await inPhase(1, 3, ...GROUND)));
  const tip = visit.page.getByRole('tooltip');
  expect(await tip.textContent()).toContain('phase 2, pattern B');
});

it('sliders change the numbers and the look, and the address keeps them', async () => {
  await open();
  await right().getByLabel('Number of phases').fill('6');
  await rest();
  expect(asked.get('commgram')?.phases).toBe(6);
  expect(await details().textContent()).toContain('6 phases');
  await right().getByLabel('Number of communities').fill('2');
  await right().getByLabel('Height of the wave').fill('0.5');
  await right().getByLabel('Width of bands').fill('1');
  await rest();
  expect(asked.get('commgram')).toMatchObject({ phases: 6, communities: 2, wave: 0.5, bands: 2 });
  expect(await visit.addressPart('views')).toContain('"communities":2');
  await right().getByRole('button', { name: 'Phases: as usual' }).click();
  await rest();
  expect(asked.get('commgram')?.phases).toBeUndefined();
});

it('functions, the curve and the height of the picture are chosen', async () => {
  await open();
  await right().getByLabel('Only operations of this name').fill('send');
  await right().getByLabel('Only operations of this name').press('Enter');
  await right().getByLabel('Where the curve of phases is').selectOption('alone');
  await rest();
  expect(asked.get('commgram')).toMatchObject({
    messages: { functions: ['send'] },
    curve: 'alone',
  });
  expect(await details().textContent()).toContain('48 messages');
  await right().getByLabel('Where the curve of phases is').selectOption('over');
  const { height: before = 0 } = (await picture().boundingBox()) ?? {};
  await right().getByLabel('Height of the picture').fill('2');
  await rest();
  const high = await picture().boundingBox();
  expect(high?.height).toBeCloseTo(4 * before, -1);
  expect(asked.get('commgram')?.height).toBeCloseTo(4 * before, -1);
  // A wheel scrolls what is higher than its pane.
  const [x, y] = [(high?.x ?? 0) + 50, (high?.y ?? 0) + 50];
  await visit.page.mouse.move(x, y);
  await visit.page.mouse.wheel(0, 200);
  await expect.poll(async () => (await picture().boundingBox())?.y).toBeLessThan(high?.y ?? 0);
  expect(await visit.addressPart('views')).toContain('"operation":"send"');
});

it('a phase unfolds into its bursts, and folds again', async () => {
  await open();
  await click(GROUND, 1);
  expect(await unfolded().textContent()).toContain('Phase 2 (B)');
  expect(asked.get('commgram')?.messages?.within).toEqual({
    first: 22.1 * SECOND,
    last: 24.1 * SECOND,
  });
  expect(await details().textContent()).toContain('16 messages · 2 phases · 1 pattern');
  // What is unfolded has numbers of its own.
  await right().getByLabel('Number of phases').fill('1');
  await rest();
  expect(asked.get('commgram')?.phases).toBe(1);
  await unfolded().getByRole('button', { name: 'Back' }).click();
  await rest();
  expect(await unfolded().count()).toBe(0);
  expect(asked.get('commgram')?.phases).toBeUndefined();
  expect(await details().textContent()).toContain('48 messages');
});

it('what is unfolded is in the address, and can be undone', async () => {
  await open();
  await click(GROUND, 1);
  await right().getByLabel('Number of phases').fill('1');
  await rest();
  const views = await visit.addressPart('views');
  expect(views).toContain('"unfolded":[["Phase 2 (B)",[22100000000,24100000000],null,1,null]]');
  await visit.page.keyboard.press('Control+z');
  await expect.poll(() => unfolded().count()).toBe(0);
  await visit.page.keyboard.press('Control+y');
  await expect.poll(() => unfolded().count()).toBe(1);
  await open({}, views ?? '');
  expect(await unfolded().textContent()).toContain('Phase 2 (B)');
  expect(asked.get('commgram')).toMatchObject({
    phases: 1,
    messages: { within: { first: 22.1 * SECOND, last: 24.1 * SECOND } },
  });
  expect(await visit.addressPart('views')).toBe(views);
});

it('a community is selected by a click and unfolds by two', async () => {
  await open();
  await click(BAR, 1);
  const members = details().getByRole('listitem');
  expect(await members.allTextContents()).toEqual(['/rank 0', '/rank 2']);
  const links = asked.get('timeline')?.links;
  expect(typeof links === 'object' ? links.nodes.length : 0).toBe(2);
  await visit.page.mouse.dblclick(...(await inPhase(1, 3, ...BAR)));
  await rest();
  expect(await unfolded().textContent()).toContain('/rank 0 and 1 more in phase 2');
  expect(asked.get('commgram')?.messages?.among?.length).toBe(2);
  expect(await details().textContent()).toContain('4 messages');
});

it('a band tells its messages, and each is shown', async () => {
  await open();
  await visit.page.mouse.move(...(await inPhase(0, 3, ...BAND)));
  await pass(visit.page, 600);
  const tip = await visit.page.getByRole('tooltip').textContent();
  expect(tip).toContain('from /rank 0, /rank 1');
  expect(tip).toContain('send × 4');
  await click(BAND);
  const messages = details().getByRole('row');
  // Four, and the heads of the columns.
  expect(await messages.count()).toBe(5);
  await messages.nth(1).click();
  await rest();
  expect(await visit.inspector.textContent()).toContain('send');
});

it('a double click on a phase makes its time the window of all', async () => {
  await open();
  await visit.page.mouse.dblclick(...(await inPhase(1, 3, ...GROUND)));
  const window = await visit.window();
  expect(window).not.toBeNull();
  // Halfway to the messages before and after.
  expect(window?.from).toBeLessThan(11 * SECOND);
  expect(window?.from).toBeGreaterThan(2.1 * SECOND);
  expect(window?.to).toBeGreaterThan(12.1 * SECOND);
  expect(window?.to).toBeLessThan(21 * SECOND);
  expect(asked.get('commgram')?.window).toEqual(window);
  expect(await unfolded().count()).toBe(0);
});

it('follows the window of the timeline, and folds what was unfolded', async () => {
  await open();
  await click(GROUND, 1);
  await visit.plot.first().focus();
  await visit.page.keyboard.press('w');
  await rest();
  expect(asked.get('commgram')?.window).toEqual(await visit.window());
  expect(await unfolded().count()).toBe(0);
});

it('communities become groups of the lens', async () => {
  await open();
  // Phases can be chosen without a pointer too.
  const row = details().getByRole('row', { name: /^2 B/ });
  await row.click();
  await details().getByRole('button', { name: 'Make groups' }).click();
  await rest();
  const groups = asked.get('timeline')?.lens?.group ?? [];
  expect(groups).toEqual([
    { containers: { name: 'Community 1', of: ['/rank 0', '/rank 2'] } },
    { containers: { name: 'Community 2', of: ['/rank 1', '/rank 3'] } },
    { containers: { name: 'Community 3', of: ['/rank 4', '/rank 6'] } },
    { containers: { name: 'Community 4', of: ['/rank 5', '/rank 7'] } },
  ]);
  const timeline = visit.page.getByRole('region', { name: 'Timeline, left' });
  await timeline.getByRole('treeitem', { name: /Community 4/ }).waitFor();
});

it('bookmarks below the minimap lead to where communities change', async () => {
  await open();
  const bookmarks = visit.page.getByRole('toolbar', { name: 'Changes' }).getByRole('button');
  await bookmarks.first().waitFor();
  const named = visit.page.getByRole('button', { name: /^Who communicates with whom changes/ });
  await named.first().click();
  const window = await visit.window();
  expect((window?.to ?? 0) - (window?.from ?? 0)).toBeCloseTo(3 * SECOND, -7);
  expect(await visit.addressPart('marks')).toBeNull();
});

it.each([
  ['light', false],
  ['dark', true],
])('has no serious fault of accessibility: %s', async (_, dark) => {
  await open({ dark });
  await click(GROUND, 1);
  await details().getByRole('row').nth(1).click();
  expect(await seriousFaults(visit)).toEqual([]);
});

it('works by touch', async () => {
  await open({ touch: true });
  await visit.page.touchscreen.tap(...(await inPhase(0, 3, ...BAR)));
  await rest();
  expect(await details().getByRole('listitem').allTextContents()).toEqual(['/rank 0', '/rank 1']);
  await details().getByRole('button', { name: 'Unfold' }).tap();
  await rest();
  expect(await unfolded().textContent()).toContain('/rank 0 and 1 more');
  await unfolded().getByRole('button', { name: 'All phases' }).tap();
  await rest();
  await visit.page.touchscreen.tap(...(await inPhase(2, 3, ...GROUND)));
  await rest();
  expect(await unfolded().textContent()).toContain('Phase 3 (A)');
});
