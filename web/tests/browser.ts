// A browser with a page on it, and what the tests look at.

import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import axe from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
  chromium,
  type Frame,
  type FrameLocator,
  type Locator,
  type Page,
} from 'playwright-core';
import type { Server } from './onca';

const PROGRAM = process.env['ONCA_BROWSER'] ?? '/usr/bin/chromium';
/**
 * Draws without a graphics card. Only what asks for one by WebGL gets one, of software: were all of the page
 * drawn by it, the tests would take twice as long.
 */
const FLAGS = [
  '--no-sandbox',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  '--disable-gpu-compositing',
  '--disable-gpu-rasterization',
  '--disable-accelerated-2d-canvas',
];

const KINDS: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** `ONCA_PAGE` names a built page that is tested instead of the one in the program. */
async function serveBuiltPage(context: BrowserContext): Promise<void> {
  const folder = process.env['ONCA_PAGE'];
  if (folder === undefined) return;
  const isPage = ({ pathname }: URL) => pathname === '/' || pathname.startsWith('/assets/');
  await context.route(isPage, async (route) => {
    const { pathname } = new URL(route.request().url());
    const path = join(folder, pathname === '/' ? 'index.html' : pathname);
    const contentType = KINDS[extname(path)] ?? 'application/octet-stream';
    // The program lets in whoever comes with its token.
    const cookie = pathname === '/' && (await route.fetch()).headers()['set-cookie'];
    const headers = cookie ? { 'set-cookie': cookie } : {};
    return route.fulfill({ contentType, headers, body: readFileSync(path) });
  });
}

/** The scripts of the page. */
export const SCRIPTS = '**/assets/*.js';

/** Holds the scripts of a page back; returns how they are let go. */
export async function holdScripts(page: Page): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(SCRIPTS, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/** To be run in a page before its scripts: every frame seems to take long. */
export const slowly = () => {
  let late = 0;
  const now = performance.now.bind(performance);
  performance.now = () => {
    late += 50;
    return now() + late;
  };
};

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: PROGRAM, args: FLAGS });
}

/**
 * Lets time pass in the page itself. What was done to it by then has reached it, and what it had
 * planned for an earlier instant is done, however busy the machine is.
 */
export async function pass(page: Page, ms: number): Promise<void> {
  await page.evaluate(
    (pause) =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, pause)));
      }),
    ms,
  );
}

/** The text of the window in the status line of a page. */
export async function windowText(page: Page | FrameLocator): Promise<string> {
  const text = await page.locator('footer .window').first().textContent();
  return (text ?? '').replaceAll(/\s+/g, ' ').trim();
}

/** A busy machine is no failure. */
export const PATIENCE_MS = 60_000;
const USUAL_SIZE = { width: 1280, height: 800 };

export interface VisitOptions {
  readonly dark?: boolean;
  readonly touch?: boolean;
  /** A fragment of an address. */
  readonly view?: string;
  readonly size?: { readonly width: number; readonly height: number };
}

/** Did the browser say it of itself, and not of the page? */
export function isOfBrowser(message: ConsoleMessage): boolean {
  // It looks for this file on its own now and then; the page names its icon.
  if (message.location().url.endsWith('/favicon.ico')) return true;
  // Its card of software tells that it is slow.
  return message.text().includes('GL Driver Message (OpenGL, Performance');
}

/** A page that remembers what went wrong and what it asked for. */
export class Visit {
  readonly complaints: string[] = [];
  readonly requests: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
  ) {
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return;
      if (isOfBrowser(message)) return;
      this.complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('dialog', (dialog) => {
      this.complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on('request', (request) => this.requests.push(request.url()));
  }

  static async start(browser: Browser, server: Server, options: VisitOptions = {}): Promise<Visit> {
    const { dark = false, touch = false, view = '', size = USUAL_SIZE } = options;
    const context = await browser.newContext({
      viewport: size,
      colorScheme: dark ? 'dark' : 'light',
      hasTouch: touch,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(PATIENCE_MS);
    await serveBuiltPage(context);
    const visit = new Visit(context, await context.newPage());
    await visit.page.goto(`${server.address}#${view}`);
    await visit.ready();
    return visit;
  }

  /** The first picture is there. */
  async ready(): Promise<void> {
    await this.page.locator('[role="treeitem"]').first().waitFor();
    await this.page.waitForFunction(() =>
      /[1-9][\d,]* rows?/.test(document.querySelector('footer')?.textContent ?? ''),
    );
  }

  get plot() {
    return this.page.getByRole('application');
  }
  get inspector() {
    return this.page.getByRole('complementary', { name: 'Inspector' });
  }

  windowText(): Promise<string> {
    return windowText(this.page);
  }

  /** What the address says about one part of the view, when changes have come to rest. */
  async addressPart(name: string): Promise<string | null> {
    await pass(this.page, 600);
    return new URLSearchParams(new URL(this.page.url()).hash.slice(1)).get(name);
  }

  /** The window in ticks; the whole trace is `null`. */
  async window(): Promise<{ from: number; to: number } | null> {
    const text = await this.addressPart('window');
    const [from, to] = (text ?? '').split('-').map(Number);
    return from === undefined || to === undefined ? null : { from, to };
  }

  /** Points at a share of the width of the plot, and of the height of the row of this name. */
  async pointAt(row: string, share: number, down = 0.5): Promise<void> {
    const name = await this.page.getByRole('treeitem', { name: row }).first().boundingBox();
    const plot = await this.plot.boundingBox();
    if (name === null || plot === null) throw new Error(`row ${row} cannot be seen`);
    await this.page.mouse.move(plot.x + plot.width * share, name.y + name.height * down);
  }

  async clickRow(row: string, share: number, down = 0.5): Promise<void> {
    await this.pointAt(row, share, down);
    await this.page.mouse.down();
    await this.page.mouse.up();
  }

  /** The rows without anything below them, all of natural height, so that they have names. */
  async leaves(): Promise<Locator> {
    await this.page.goto(`${new URL(this.page.url()).origin}/#rows=18`);
    return this.page.locator('[role="treeitem"]:not([aria-expanded])');
  }

  /** The name of such a row. */
  async leafName(): Promise<string> {
    const name = (await this.leaves()).first().locator('.name');
    return (await name.textContent())?.trim() ?? '';
  }

  async tab(title: string): Promise<void> {
    const tab = this.page.getByRole('tab', { name: title });
    if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click();
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

/** What keeps people from using the page, in words. */
export function faults({ page }: Visit): Promise<readonly string[]> {
  return faultsOf(page);
}

async function faultsOf(page: Page | Frame): Promise<readonly string[]> {
  // As the debugger does it: the policy of the page allows no script but its own.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: checker } = window as unknown as { axe: typeof axe };
    const { violations } = await checker.run(document, { resultTypes: ['violations'] });
    return violations.map(
      ({ id, impact, nodes }) => `${impact}: ${id}: ${nodes.map((node) => node.html).join(' | ')}`,
    );
  });
}

/** Those that the checker calls serious or critical. */
export function seriousFaults({ page }: Visit): Promise<readonly string[]> {
  return seriousFaultsOf(page);
}

export async function seriousFaultsOf(page: Page | Frame): Promise<readonly string[]> {
  return (await faultsOf(page)).filter((text) => /^(serious|critical):/.test(text));
}

/** A place in a picture, by shares of its width and height. */
export async function middleOf(
  place: Locator,
  across = 0.5,
  down = 0.5,
): Promise<[number, number]> {
  const box = await place.boundingBox();
  if (box === null) throw new Error('the picture cannot be seen');
  return [box.x + box.width * across, box.y + box.height * down];
}
