// The widget of the Python package in a cell of JupyterLab.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, PATIENCE_MS, pass, windowText } from './browser';
import { Jupyter } from './jupyter';
import { Folder, run } from './onca';

const python = process.env['ONCA_PYTHON'];

/** The built page that is tested instead of the one in the module. */
const PAGE = process.env['ONCA_PAGE'];
const OTHER_PAGE = `
import onca._onca as native, pathlib
class Page(object):
    def __init__(self, folder): self.page = native_page(folder)
    def answer(self, *asked): return self.page.answer(*asked)
    def html(self): return pathlib.Path(${JSON.stringify(PAGE)}, "widget.html").read_text()
native_page, native.Page = native.Page, Page`;

const CELLS = [
  `import onca${PAGE === undefined ? '' : OTHER_PAGE}
trace = onca.open("demo.paje")
begin = trace.info().window.start_ticks
view = trace.view(height=420)
view`,
  'None if view.window is None else [tick - begin for tick in view.window]',
  'view.window = (begin + 1_000_000_000, begin + 2_000_000_000)',
  'sorted(view.selection or {})',
  'view.selection = None',
  'view',
];

describe.skipIf(python === undefined)('in JupyterLab, by the Python that ONCA_PYTHON names', () => {
  const folder = new Folder();
  const started: Jupyter[] = [];
  let browser: Browser;

  beforeAll(async () => {
    run(['demo', '--no-open', '-o', folder.file('demo.paje')]);
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    for (const jupyter of started) jupyter.stop();
    folder.remove();
  });

  async function open(dark: boolean): Promise<Notebook> {
    const jupyter = await Jupyter.start(python ?? '', folder, { dark });
    started.push(jupyter);
    const context = await browser.newContext({ viewport: { width: 1280, height: 1300 } });
    context.setDefaultTimeout(PATIENCE_MS);
    const notebook = new Notebook(await context.newPage());
    await notebook.page.goto(jupyter.notebook('trace.ipynb', CELLS));
    await notebook.page.getByText('| Idle').waitFor();
    await notebook.run(0);
    return notebook;
  }

  it.each([false, true])(
    'shows the trace, and knows window and selection: dark %s',
    async (dark) => {
      const notebook = await open(dark);
      const { frame, page } = notebook;
      await frame.locator('[role="treeitem"]').first().waitFor();
      await frame
        .locator('footer')
        .getByText(/[1-9][\d,]* rows?/)
        .waitFor();
      expect(await frame.locator('html').getAttribute('data-theme')).toBe(dark ? 'dark' : 'light');
      expect(await notebook.run(1)).toBe('');
      // From the page to Python,
      await frame.getByRole('application').click({ position: { x: 100, y: 30 } });
      await page.mouse.wheel(0, -400);
      await pass(page, 1000);
      const [from, to] = JSON.parse(await notebook.run(1)) as [number, number];
      expect(from).toBeGreaterThan(0);
      expect(to).toBeGreaterThan(from);
      expect(await notebook.run(3)).toContain('pick');
      // and from Python to the page.
      await notebook.run(2);
      await expect.poll(() => windowText(frame)).toContain('1.000 s – 2.000 s');
      expect(JSON.parse(await notebook.run(1))).toEqual([1e9, 2e9]);
      await notebook.run(4);
      await expect.poll(() => notebook.run(3)).toBe('[]');
      // Whoever scrolls on the way to another cell does so.
      const place = async () => (await frame.getByRole('application').boundingBox())?.y ?? 0;
      await page.locator('.jp-CodeCell').nth(3).scrollIntoViewIfNeeded();
      const above = await place();
      await frame.getByRole('application').hover();
      await page.mouse.wheel(0, 100);
      await expect.poll(place).toBe(above - 100);
      // Saving is for the notebook, and so are all keys after Escape.
      await frame.getByRole('application').click({ position: { x: 100, y: 30 } });
      expect(await page.locator('.jp-mod-dirty').count()).toBeGreaterThan(0);
      await page.keyboard.press('Control+s');
      await expect.poll(() => page.locator('.jp-mod-dirty').count()).toBe(0);
      // The notebook may have taken the focus with the key.
      await frame.getByRole('tab', { name: 'Timeline' }).click();
      await page.keyboard.press('Escape');
      await expect.poll(() => notebook.run(3)).toBe('[]');
      await frame.getByRole('tab', { name: 'Timeline' }).click();
      await page.keyboard.press('Escape');
      await page.locator('.jp-CodeCell:focus').waitFor();
      // A second cell shows the same.
      await notebook.run(5);
      const second = page.frameLocator('iframe').nth(1);
      await expect.poll(() => windowText(second)).toContain('1.000 s – 2.000 s');
      await second.getByRole('application').click();
      await page.keyboard.press('f');
      await expect.poll(() => windowText(frame)).toContain('0.000 s – ');
      expect(notebook.complaints).toEqual([]);
      await page.context().close();
    },
  );
});

class Notebook {
  readonly complaints: string[] = [];

  constructor(readonly page: Page) {
    page.on('console', (message) => {
      // What the notebook itself complains about is not ours.
      const isOurs = /srcdoc|onca|_widget/.test(`${message.location().url} ${message.text()}`);
      if (isOurs && message.type() === 'error') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
  }

  get frame() {
    return this.page.frameLocator('iframe').first();
  }

  /** Runs a cell; returns the text that it gives. */
  async run(place: number): Promise<string> {
    const { page } = this;
    const cell = page.locator('.jp-CodeCell').nth(place);
    const count = cell.locator('.jp-InputPrompt');
    const before = (await cell.count()) === 0 ? '[ ]:' : await count.textContent();
    // Cells come and go as the notebook is scrolled.
    await cell.scrollIntoViewIfNeeded();
    await cell.locator('.cm-content').click();
    await page.locator('.jp-CodeCell.jp-mod-active .cm-focused').waitFor();
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => count.textContent()).toMatch(/\[\d+\]/);
    await expect.poll(() => count.textContent()).not.toBe(before);
    const texts = await cell.locator('.jp-OutputArea-output pre').allTextContents();
    return texts.join('\n').trim();
  }
}
