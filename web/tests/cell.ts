// A page with cells, as a notebook has them: in each the frame that `python/onca/_widget.js` makes. A
// model stands for the one of Python, and asks a running `onca view`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { isOfBrowser, PATIENCE_MS, pass, seriousFaultsOf, windowText } from './browser';
import type { Server } from './onca';

const WIDGET = join(import.meta.dirname, '../../python/onca/_widget.js');

export interface CellOptions {
  readonly dark?: boolean;
  readonly width?: number;
  readonly height?: number;
  /** Traits that the model has before the cell is there. */
  readonly traits?: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly base64: string;
}

/** What the page in the cell sent to Python. */
interface Sent {
  readonly id: string;
  readonly kind: string;
  readonly path?: string;
}

/** What the page of the tests has besides the cell. */
interface Surroundings {
  readonly widget: { render(shown: { model: unknown; el: Element }): () => void };
  askServer(method: string, path: string, body: string | null): Promise<Answer>;
  model: { get(name: string): unknown; set(name: string, value: unknown): void };
  sent: Sent[];
  /** Answers wait for this. */
  held: Promise<void>;
  release(): void;
  keys: string[];
  remove(): void;
}

export class Cell {
  readonly complaints: string[] = [];
  readonly requests: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
  ) {
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type()) || isOfBrowser(message)) return;
      this.complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    context.on('request', (request) => this.requests.push(request.url()));
  }

  static async start(browser: Browser, server: Server, options: CellOptions = {}): Promise<Cell> {
    const { dark = false, width = 800, height = 600, traits = {} } = options;
    const context = await browser.newContext({ viewport: { width: width + 40, height: 900 } });
    context.setDefaultTimeout(PATIENCE_MS);
    const cell = new Cell(context, await context.newPage());
    const { page } = cell;
    await page.exposeFunction('askServer', (method: string, path: string, body: string | null) =>
      ask(server, method, path, body),
    );
    const color = dark ? '#111' : '#fff';
    await page.setContent(`<body style="margin: 0; padding: 20px; background: ${color}">
      <div id="notebook" tabindex="0">
        <input aria-label="Another cell" />
        <div id="cell" style="width: ${width}px"></div>
        <div style="height: 3000px"></div>
      </div>`);
    const html = await documentOf(server);
    const state = { height, _window: null, _selection: null, ...traits };
    const code = JSON.stringify(readFileSync(WIDGET, 'utf8'));
    // As a text: what stands here as an import would be one of the tests.
    await page.evaluate(
      `import(URL.createObjectURL(new Blob([${code}], { type: 'text/javascript' })))
        .then((module) => { window.widget = module.default; })`,
    );
    await page.evaluate(showCell, { html, state });
    return cell;
  }

  get frame(): FrameLocator {
    return this.page.frameLocator('iframe');
  }
  get plot() {
    return this.frame.getByRole('application');
  }
  get inspector() {
    return this.frame.getByRole('complementary', { name: 'Inspector' });
  }

  /** The first picture is there. */
  async ready(): Promise<void> {
    await this.frame.locator('[role="treeitem"]').first().waitFor();
    await this.frame
      .locator('footer')
      .getByText(/[1-9][\d,]* rows?/)
      .waitFor();
    await this.frame.locator('[role="application"][aria-busy="false"]').first().waitFor();
  }

  windowText(): Promise<string> {
    return windowText(this.frame);
  }
  trait(name: string): Promise<unknown> {
    return this.page.evaluate(
      (asked) => (window as unknown as Surroundings).model.get(asked),
      name,
    );
  }
  /** As when Python sets it. */
  async setTrait(name: string, value: unknown): Promise<void> {
    await this.page.evaluate(
      ([asked, wanted]) => (window as unknown as Surroundings).model.set(asked as string, wanted),
      [name, value] as const,
    );
    await pass(this.page, 200);
  }
  /** Holds all answers back from now on. */
  hold(): Promise<void> {
    return this.page.evaluate(() => {
      const around = window as unknown as Surroundings;
      around.held = new Promise((resolve) => {
        around.release = resolve;
      });
    });
  }
  /** Lets those go that were held back. */
  release(): Promise<void> {
    return this.page.evaluate(() => (window as unknown as Surroundings).release());
  }
  sent(): Promise<readonly Sent[]> {
    return this.page.evaluate(() => (window as unknown as Surroundings).sent);
  }
  /** Keys that reached the page around the cell. */
  keys(): Promise<readonly string[]> {
    return this.page.evaluate(() => (window as unknown as Surroundings).keys);
  }
  remove(): Promise<void> {
    return this.page.evaluate(() => (window as unknown as Surroundings).remove());
  }

  /** Points at a share of the plot. */
  async pointAt(across: number, down = 0.5): Promise<void> {
    const box = await this.plot.first().boundingBox();
    if (box === null) throw new Error('the plot cannot be seen');
    await this.page.mouse.move(box.x + box.width * across, box.y + box.height * down);
  }
  async click(across: number, down = 0.5): Promise<void> {
    await this.pointAt(across, down);
    await this.page.mouse.down();
    await this.page.mouse.up();
  }

  /** What keeps people from using the page in the cell. */
  async faults(): Promise<readonly string[]> {
    const [, frame] = this.page.frames();
    return frame === undefined ? ['there is no page'] : seriousFaultsOf(frame);
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

/** The document that the program has, or that of the built page that is tested instead. */
async function documentOf(server: Server): Promise<string> {
  const folder = process.env['ONCA_PAGE'];
  if (folder !== undefined) return readFileSync(join(folder, 'widget.html'), 'utf8');
  const { base64 } = await ask(server, 'GET', '/widget.html', null);
  return Buffer.from(base64, 'base64').toString('utf8');
}

async function ask(
  server: Server,
  method: string,
  path: string,
  body: string | null,
): Promise<Answer> {
  const token = new URL(server.address).searchParams.get('token');
  const answer = await fetch(server.origin + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body !== null && { body }),
  });
  return {
    status: answer.status,
    type: answer.headers.get('Content-Type') ?? '',
    base64: Buffer.from(await answer.arrayBuffer()).toString('base64'),
  };
}

interface Shown {
  readonly html: string;
  readonly state: Readonly<Record<string, unknown>>;
}

type Listener = (...told: unknown[]) => void;

/** Runs in the page of the tests: a model as anywidget gives it to a widget, and the widget. */
function showCell({ html, state }: Shown): void {
  const around = window as unknown as Surroundings;
  const traits = new Map(Object.entries(state));
  const listeners = new Map<string, Set<Listener>>();
  const tell = (name: string, ...told: unknown[]) => {
    for (const listener of listeners.get(name) ?? []) listener(...told);
  };
  const bytesOf = async (content: { kind: string; method: string; path: string }, body?: string) =>
    content.kind === 'page'
      ? { status: 200, type: 'text/html', base64: null }
      : around.askServer(content.method, content.path, body ?? null);
  const model = {
    get: (name: string) => traits.get(name),
    set: (name: string, value: unknown) => {
      const isOther = JSON.stringify(value) !== JSON.stringify(traits.get(name));
      traits.set(name, value);
      if (isOther) tell(`change:${name}`);
    },
    save_changes: () => {},
    on: (name: string, listener: Listener) => {
      listeners.set(name, (listeners.get(name) ?? new Set()).add(listener));
    },
    off: (name: string, listener: Listener) => listeners.get(name)?.delete(listener),
    send: (
      content: { id: string; kind: string; method: string; path: string },
      _: unknown,
      [body]: ArrayBuffer[],
    ) => {
      around.sent.push(content);
      if (content.kind === 'cancel') return;
      const text = body === undefined ? undefined : new TextDecoder().decode(body);
      void Promise.all([bytesOf(content, text), around.held]).then(([answered]) => {
        const { status, type, base64 } = answered;
        const bytes =
          base64 === null
            ? new TextEncoder().encode(html)
            : Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        const head = { kind: 'answer', id: content.id, status, type };
        tell('msg:custom', head, [new DataView(bytes.buffer)]);
      });
    },
  };
  around.model = model;
  around.sent = [];
  around.held = Promise.resolve();
  around.keys = [];
  document.addEventListener('keydown', (event) => around.keys.push(event.key));
  const el = document.createElement('div');
  document.getElementById('cell')?.append(el);
  const clean = around.widget.render({ model, el });
  around.remove = () => {
    clean();
    el.remove();
  };
}
