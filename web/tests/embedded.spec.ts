// The page as one document in a frame that can reach nothing, as in a cell of a notebook.

import { afterEach, expect, it } from 'vitest';
import { pass } from './browser';
import { Cell, type CellOptions } from './cell';
import { demoSession } from './session';

const session = demoSession();
let cells: Cell[] = [];

afterEach(async () => {
  const shown = cells;
  cells = [];
  for (const cell of shown) await cell.close();
  expect(shown.flatMap(({ complaints }) => complaints)).toEqual([]);
  // The document is all that there is: neither the page around it nor another one is asked.
  const requests = shown.flatMap((cell) => cell.requests);
  expect(requests.filter((address) => !address.startsWith('blob:'))).toEqual([]);
});

async function show(options: CellOptions = {}): Promise<Cell> {
  const cell = await Cell.start(session.browser, session.server('demo'), options);
  cells.push(cell);
  await cell.ready();
  return cell;
}

const isBetween = (window: unknown): window is [number, number] =>
  Array.isArray(window) && window.length === 2 && window[0] < window[1];

it('shows the trace, tells its window by the wheel and takes one', async () => {
  const cell = await show();
  expect(await cell.trait('_window')).toBe(null);
  const whole = await cell.windowText();
  await cell.click(0.5);
  await cell.page.mouse.wheel(0, -400);
  await expect.poll(() => cell.trait('_window')).toSatisfy(isBetween);
  expect(await cell.windowText()).not.toBe(whole);
  await cell.setTrait('_window', [1_000_000, 2_000_000]);
  await expect.poll(() => cell.windowText()).toMatch(/1(\.0*)? ?ms|0\.001/);
  expect(await cell.trait('_window')).toEqual([1_000_000, 2_000_000]);
  await cell.setTrait('_window', null);
  await expect.poll(() => cell.windowText()).toBe(whole);
});

it('moves a window into the trace, and says so', async () => {
  const cell = await show();
  await cell.setTrait('_window', [1_000_000, 9e15]);
  await expect.poll(() => cell.trait('_window')).not.toEqual([1_000_000, 9e15]);
});

it('begins with the window and the selection that were set before', async () => {
  const first = await show();
  await first.click(0.3, 0.1);
  await expect.poll(() => first.trait('_selection')).not.toBe(null);
  const selection = await first.trait('_selection');
  // The selection is told at once, what is selected when it is known.
  await expect.poll(() => first.inspector.innerText()).toMatch(/Duration|duration/);
  const cell = await show({ traits: { _window: [5_000_000, 6_000_000], _selection: selection } });
  expect(await cell.trait('_window')).toEqual([5_000_000, 6_000_000]);
  expect(await cell.trait('_selection')).toEqual(selection);
  const told = await first.inspector.textContent();
  await expect.poll(() => cell.inspector.textContent()).toBe(told);
  const whole = (await cell.sent()).filter(({ path }) => path?.endsWith('/timeline'));
  expect(whole.length).toBeGreaterThan(0);
});

it('inspects what is clicked, and what Python selects', async () => {
  const cell = await show({ width: 1200 });
  await cell.click(0.3, 0.1);
  await expect.poll(() => cell.trait('_selection')).toMatchObject({ pick: expect.any(String) });
  const picked = await cell.trait('_selection');
  await expect.poll(() => cell.inspector.innerText()).toMatch(/Duration|duration/);
  const told = await cell.inspector.innerText();
  await cell.setTrait('_selection', null);
  await expect.poll(() => cell.inspector.innerText()).not.toBe(told);
  await cell.setTrait('_selection', picked);
  await expect.poll(() => cell.inspector.innerText()).toBe(told);
});

it('lets whoever scrolls by scroll by', async () => {
  const cell = await show();
  const top = () => cell.page.evaluate(() => scrollY);
  await cell.pointAt(0.5);
  await cell.page.mouse.wheel(0, 100);
  await expect.poll(top).toBeGreaterThan(50);
  expect(await cell.trait('_window')).toBe(null);
  // With the key it is no scrolling.
  await cell.page.evaluate(() => scrollTo(0, 0));
  await cell.pointAt(0.5);
  await cell.page.keyboard.down('Control');
  await cell.page.mouse.wheel(0, -100);
  await cell.page.keyboard.up('Control');
  await expect.poll(() => cell.trait('_window')).toSatisfy(isBetween);
  expect(await top()).toBe(0);
});

it('takes keys only while it has the focus, and gives it back', async () => {
  const cell = await show();
  const focused = () => cell.page.evaluate(() => document.activeElement?.id ?? '');
  expect(await focused()).toBe('');
  await cell.page.getByLabel('Another cell').focus();
  await cell.page.keyboard.type('wws');
  expect(await cell.page.getByLabel('Another cell').inputValue()).toBe('wws');
  expect(await cell.trait('_window')).toBe(null);
  const before = (await cell.keys()).length;
  await cell.click(0.5);
  await cell.page.keyboard.press('w');
  await expect.poll(() => cell.trait('_window')).toSatisfy(isBetween);
  expect(await cell.keys()).toHaveLength(before);
  // Saving is for the notebook.
  await cell.page.keyboard.press('Control+s');
  await expect.poll(async () => (await cell.keys()).at(-1)).toBe('s');
  // The first selects nothing, the second leaves.
  await cell.page.keyboard.press('Escape');
  await expect.poll(() => cell.trait('_selection')).toBe(null);
  await cell.page.keyboard.press('Escape');
  await expect.poll(focused).toBe('notebook');
});

it('has steps of its own', async () => {
  const cell = await show();
  const length = await cell.page.evaluate(() => history.length);
  await cell.click(0.5);
  await cell.page.keyboard.press('w');
  await expect.poll(() => cell.trait('_window')).toSatisfy(isBetween);
  await pass(cell.page, 600);
  await cell.page.keyboard.press('Control+z');
  await expect.poll(() => cell.trait('_window')).toBe(null);
  await cell.page.keyboard.press('Control+y');
  await expect.poll(() => cell.trait('_window')).toSatisfy(isBetween);
  expect(await cell.page.evaluate(() => history.length)).toBe(length);
});

it('offers neither other traces nor an address', async () => {
  const cell = await show({ width: 1200 });
  await cell.frame.getByRole('button', { name: 'Export' }).waitFor();
  expect(await cell.frame.getByRole('button', { name: 'Share' }).count()).toBe(0);
  expect(await cell.frame.getByRole('button', { name: 'Open', exact: true }).count()).toBe(0);
});

it('follows the theme around it', async () => {
  const cell = await show({ dark: true });
  const theme = () => cell.frame.locator('html').getAttribute('data-theme');
  expect(await theme()).toBe('dark');
  await cell.page.evaluate(() => {
    document.body.style.background = '#fff';
  });
  await expect.poll(theme).toBe('light');
});

it('is as it was when the notebook shows it again', async () => {
  const cell = await show();
  await cell.frame.getByRole('tab', { name: 'Treemap' }).click();
  await cell.frame.getByRole('toolbar', { name: /treemap/i }).waitFor();
  await cell.setTrait('_window', [1_000_000, 2_000_000]);
  await pass(cell.page, 600);
  await cell.page.evaluate(() => {
    const frame = document.querySelector('iframe');
    const cell = frame?.parentElement;
    frame?.remove();
    if (frame) cell?.append(frame);
  });
  await cell.frame.getByRole('toolbar', { name: /treemap/i }).waitFor();
  expect(await cell.trait('_window')).toEqual([1_000_000, 2_000_000]);
  // Or if it loads itself again.
  await cell.frame.getByRole('tab', { name: 'Matrix' }).click();
  await pass(cell.page, 600);
  await cell.frame.locator('body').evaluate(() => location.reload());
  await cell.frame.getByRole('toolbar', { name: /matrix/i }).waitFor();
  expect(await cell.trait('_window')).toEqual([1_000_000, 2_000_000]);
});

it('can be used without seeing or pointing', async () => {
  const cell = await show();
  expect(await cell.faults()).toEqual([]);
  expect(await cell.page.locator('iframe').getAttribute('title')).toBe('Onca');
});

it('saves files and copies texts', async () => {
  const cell = await show();
  await cell.frame.getByRole('button', { name: 'Export' }).click();
  const dialog = cell.frame.getByRole('dialog');
  const download = cell.page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download', exact: true }).click();
  expect((await download).suggestedFilename()).toMatch(/\.svg$/);
  await dialog.getByRole('button', { name: 'Copy the command' }).click();
  await dialog.getByRole('button', { name: /copied/i }).waitFor();
});

it('gives up questions that nobody waits for', async () => {
  const cell = await show();
  await cell.click(0.5);
  // However quickly the program answers, a question is open when the next one outdates it.
  await cell.hold();
  const before = (await cell.sent()).length;
  const givenUp = async () => {
    const sent = (await cell.sent()).slice(before);
    const asked = sent.filter(({ kind }) => kind === 'ask').map(({ id }) => id);
    return sent.filter(({ kind, id }) => kind === 'cancel' && asked.includes(id)).length;
  };
  let turns = 0;
  const turn = () => {
    turns += 1;
    return cell.page.mouse.wheel(0, turns % 20 < 10 ? -200 : 200);
  };
  await expect.poll(async () => turn().then(givenUp)).toBeGreaterThan(0);
  await cell.release();
  await cell.ready();
});
