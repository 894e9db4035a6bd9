// What tests in a browser begin and end with: servers, a browser, pages without complaints.

import type { Browser, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launch, Visit, type VisitOptions } from './browser';
import { Folder, type Server } from './onca';

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
    });
  }

  get folder(): Folder {
    return present(this.#folder);
  }
  server(name: Name): Server {
    const servers: Partial<Record<string, Server>> = this.#servers;
    return present(servers[name]);
  }

  /** Opens the page; it is closed, and must not have complained, when the test ends. */
  async visit(name: Name, options: VisitOptions = {}): Promise<Visit> {
    const visit = await Visit.start(present(this.#browser), this.server(name), options);
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

/** What pictures were last asked for, by view, from now on. */
export function questionsOf<Asked>({ page }: Visit): Map<string, Asked> {
  const asked = new Map<string, Asked>();
  page.on('request', (request: Request) => {
    const [, name] = /\/(timeline|(?<=\/scene\/)\w+)$/.exec(request.url()) ?? [];
    const body = request.postData();
    if (name !== undefined && body !== null) asked.set(name, JSON.parse(body) as Asked);
  });
  return asked;
}

/** Waits until every answer is there and drawn. */
export async function answered({ page }: Visit, atLeastMs = 300): Promise<void> {
  await page.waitForTimeout(atLeastMs);
  await page.waitForFunction(
    () => document.querySelector('[role="application"][aria-busy="true"]') === null,
  );
}
