// What tests in a browser begin and end with: servers, a browser, pages without complaints.

import { readFileSync } from 'node:fs';
import type { Browser, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launch, pass, Visit, type VisitOptions } from './browser';
import { Folder, run, Server } from './onca';

export class Session<Name extends string> {
  #folder: Folder | null = null;
  #browser: Browser | null = null;
  #servers: Partial<Record<Name, Server>> = {};
  #visits: Visit[] = [];

  /** `serve` starts the servers of all tests of a file. */
  constructor(serve: (folder: Folder) => Promise<Record<Name, Server>>) {
    beforeAll(async () => {
      this.#folder = new Folder();
      this.#servers = await serve(this.#folder);
      this.#browser = await launch();
    });
    afterAll(async () => {
      await this.#browser?.close();
      for (const server of Object.values<Server | undefined>(this.#servers)) server?.stop();
      this.#folder?.remove();
    });
    afterEach(async () => {
      const visits = this.#visits;
      this.#visits = [];
      for (const visit of visits) await visit.close();
      expect(visits.flatMap(({ complaints }) => complaints)).toEqual([]);
      const own = Object.values<Server | undefined>(this.#servers).map((server) => server?.origin);
      const isOwn = (address: string) =>
        address.startsWith('blob:') || own.includes(new URL(address).origin);
      const requests = visits.flatMap((visit) => visit.requests);
      expect(requests.filter((address) => !isOwn(address))).toEqual([]);
    });
  }

  get folder(): Folder {
    return present(this.#folder);
  }
  get browser(): Browser {
    return present(this.#browser);
  }
  server(name: Name): Server {
    const servers: Partial<Record<string, Server>> = this.#servers;
    return present(servers[name]);
  }

  /**
   * Opens the page; it is closed when the test ends. It must not have complained then, nor have
   * asked anybody but the servers.
   */
  async visit(name: Name, options: VisitOptions = {}): Promise<Visit> {
    const visit = await Visit.start(this.browser, this.server(name), options);
    this.#visits.push(visit);
    return visit;
  }

  /** Shows views, as they are written in an address. */
  async show(visit: Visit, name: Name, views: string, more = ''): Promise<void> {
    const { origin } = this.server(name);
    await visit.page.goto(`${origin}/#views=${encodeURIComponent(views)}${more}`);
  }
}

function present<T>(one: T | null | undefined): T {
  if (one == null) throw new Error('the session has not begun');
  return one;
}

/** A session with the demo trace. */
export function demoSession(): Session<'demo'> {
  return new Session(async (folder) => {
    run(['demo', '--no-open', '-o', folder.file('demo.paje')]);
    return { demo: await Server.start([folder.file('demo.paje')]) };
  });
}

/** Downloads what the open dialog of exports offers, and runs the command that it shows. */
export async function exported(
  { page }: Visit,
  folder: Folder,
): Promise<{ command: string; saved: Buffer; drawn: Buffer }> {
  const dialog = page.getByRole('dialog');
  const command = (await dialog.locator('pre').innerText()).trim();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  // As a shell takes it apart.
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  run(words.slice(1), folder.path);
  const drawn = readFileSync(folder.file(words[words.indexOf('-o') + 1] ?? ''));
  return { command, saved: readFileSync(await download.path()), drawn };
}

/** What pictures were last asked for, by view, from now on. */
export function questionsOf<Asked>({ page }: Visit): Map<string, Asked> {
  const asked = new Map<string, Asked>();
  page.on('request', (request: Request) => {
    const [, name] = /\/(timeline|(?<=\/scene\/)[\w-]+)$/.exec(request.url()) ?? [];
    const body = request.postData();
    if (name !== undefined && body !== null) asked.set(name, JSON.parse(body) as Asked);
  });
  return asked;
}

/** Waits until every answer is there and drawn. */
export async function answered({ page }: Visit, atLeastMs = 300): Promise<void> {
  await pass(page, atLeastMs);
  await page.waitForFunction(
    () => document.querySelector('[role="application"][aria-busy="true"]') === null,
  );
}
