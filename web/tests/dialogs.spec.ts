// Dialogs, buttons and panels do what people expect of them.

import { expect, it } from 'vitest';
import { launch } from './browser';
import { demoSession } from './session';

const session = demoSession();

it('Escape closes the export dialog after a download too', async () => {
  const visit = await session.visit('demo');
  await visit.page.getByRole('button', { name: 'Export', exact: true }).click();
  const dialog = visit.page.getByRole('dialog');
  await Promise.all([
    visit.page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  await dialog.getByText(/^saved, /).waitFor();
  await visit.page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

it('the export dialog tells two timelines apart', async () => {
  const visit = await session.visit('demo');
  await session.show(visit, 'demo', '["timeline", "timeline"]');
  await visit.page.getByRole('region', { name: 'Timeline, right' }).waitFor();
  await visit.page.getByRole('button', { name: 'Export', exact: true }).click();
  const choices = visit.page.getByRole('dialog').getByLabel('What').locator('option');
  await choices.first().waitFor({ state: 'attached' });
  const texts = await choices.allInnerTexts();
  expect(texts.slice(0, 2)).toEqual(['Timeline, left', 'Timeline, right']);
});

it.each([
  ['light', false],
  ['dark', true],
])('a main button can be read under the pointer: %s', async (_, dark) => {
  const visit = await session.visit('demo', { dark });
  await visit.page.getByRole('button', { name: 'Export', exact: true }).click();
  const button = visit.page.getByRole('button', { name: 'Download', exact: true });
  await button.hover();
  // Colours come in any notation: the canvas turns them into bytes.
  const [ground, ink, around] = await button.evaluate((element) => {
    const bytes = (color: string) => {
      const context = document.createElement('canvas').getContext('2d');
      if (context === null) throw new Error('no canvas');
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const { backgroundColor, color } = getComputedStyle(element);
    const dialog = element.closest('dialog');
    return [backgroundColor, color, dialog && getComputedStyle(dialog).backgroundColor].map((one) =>
      bytes(one ?? ''),
    );
  });
  expect(contrast(ink, ground)).toBeGreaterThan(4.5);
  expect(contrast(ground, around)).toBeGreaterThan(3);
});

/** As WCAG 2 defines it. */
function contrast(a: readonly number[] = [], b: readonly number[] = []): number {
  const luminance = (color: readonly number[]) => {
    const [red = 0, green = 0, blue = 0] = color
      .map((byte) => byte / 255)
      .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((one, other) => one - other);
  return (high + 0.05) / (low + 0.05);
}

it('the answer to SQL stays while another panel is open', async () => {
  const visit = await session.visit('demo');
  // The engine is a program of its own; what it says is of no matter here.
  const answer = {
    schema: 'onca-sql/1',
    columns: [{ name: 'n', type: 'Int64' }],
    rows: [[4711]],
    truncated: false,
  };
  await visit.page.route('**/sql', (route) =>
    route.fulfill({
      json: route.request().method() === 'POST' ? answer : { schema: '', tables: [], examples: [] },
    }),
  );
  await visit.tab('SQL');
  await visit.page.getByRole('button', { name: /^Run/ }).click();
  const cell = visit.page.getByRole('gridcell', { name: '4711' });
  await cell.waitFor();
  await visit.tab('Marks');
  await cell.waitFor({ state: 'detached' });
  await visit.tab('SQL');
  await cell.waitFor();
});

it('a shared address works in a browser that was never here, and its command names the view', async () => {
  const visit = await session.visit('demo', { view: 'rows=18&window=1000000000-2000000000' });
  await visit.page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = visit.page.getByRole('dialog');
  await dialog.locator('pre').first().waitFor();
  const [link = '', tunnel = '', again = ''] = await dialog.locator('pre').allInnerTexts();
  await dialog.getByText(/whoever has it .* sees all open traces/).waitFor();
  const { port } = new URL(link);
  expect(tunnel).toBe(`ssh -L ${port}:127.0.0.1:${port} HOST`);
  expect(again).toMatch(/^onca view \S+demo\.paje --port \d+ --at '.*window=1000000000-2000000000/);
  const { origin } = session.server('demo');
  const fresh = await launch();
  try {
    const context = await fresh.newContext();
    const page = await context.newPage();
    // Without the token there is a page for people, not JSON.
    const refused = await page.goto(origin);
    expect(refused?.status()).toBe(401);
    await page.getByRole('heading', { name: 'This page is for people with its token' }).waitFor();
    await page.goto(link);
    await page.locator('footer .window').waitFor();
    await expect
      .poll(() => page.locator('footer .window').textContent())
      .toMatch(/1\.0+ s – 2\.0+ s/);
  } finally {
    await fresh.close();
  }
});
