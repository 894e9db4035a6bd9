// What belongs together is lit and everything else is dim: who waits at a semaphore, what a line of
// source made. And what the row menu and the legend hide and derive.

import { expect, it } from 'vitest';
import type { Visit } from './browser';
import { pass } from './browser';
import { run, Server } from './onca';
import { answered, questionsOf, Session } from './session';
import { linkTrace, SOURCE_FILE, SOURCE_TEXT, sourceTrace } from './traces';

interface Found {
  readonly type: string;
  readonly start_ticks: number;
  readonly end_ticks: number;
  readonly container: string;
  readonly destination?: string;
  readonly value: string;
  readonly extras: readonly { readonly name: string; readonly text: string }[];
}

interface Asked {
  readonly lens?: {
    readonly reduce?: readonly { readonly as?: string }[];
    readonly select?: unknown;
  };
}

let threads = '';
const session = new Session(async (folder) => {
  threads = folder.file('threads.paje');
  const few = ['--processes', '1', '--threads', '5', '--at-once', '3', '--operations', '2'];
  const gates = ['--semaphores', '1', '--permits', '1', '--locks', '1'];
  run(['generate', 'threads', ...few, ...gates, '-o', threads]);
  folder.write(SOURCE_FILE, SOURCE_TEXT);
  const source = folder.write('source.paje', sourceTrace());
  return {
    threads: await Server.start([threads]),
    source: await Server.start([source, '--source-dir', folder.path]),
    link: await Server.start([folder.write('link.paje', linkTrace())]),
  };
});

function found(kind: 'state' | 'link'): readonly Found[] {
  const args = ['find', threads, '*', '--kinds', kind, '--limit', '1000', '--json'];
  return (JSON.parse(run(args)) as { found: readonly Found[] }).found;
}

const rowOf = ({ container }: Found) => container.split('/').at(-1) ?? '';
const gateOf = ({ extras }: Found) =>
  extras.find(({ name }) => /^(key|lock|semaphore|mutex)$/i.test(name))?.text;

/** Is a part of the plot free of the veil? Shares of the width, in a row of this name. */
async function isLit(visit: Visit, row: string, from: number, to: number): Promise<boolean> {
  const name = await visit.page.getByRole('treeitem', { name: row, exact: true }).boundingBox();
  const plot = await visit.plot.boundingBox();
  if (name === null || plot === null) throw new Error(`row ${row} cannot be seen`);
  const y = name.y - plot.y;
  return visit.plot.locator('canvas.texts').evaluate(
    (canvas: HTMLCanvasElement, { from, to, top, height }) => {
      const ratio = canvas.width / canvas.clientWidth;
      const [x0, x1] = [from * canvas.width, to * canvas.width];
      const [y0, y1] = [(top + 0.3 * height) * ratio, (top + 0.7 * height) * ratio];
      const wide = Math.max(Math.round(x1 - x0), 1);
      const high = Math.max(Math.round(y1 - y0), 1);
      // A copy: the canvas itself is not made to be read.
      const copy = document.createElement('canvas');
      [copy.width, copy.height] = [wide, high];
      const context = copy.getContext('2d', { willReadFrequently: true });
      context?.drawImage(canvas, x0, y0, wide, high, 0, 0, wide, high);
      const pixels = context?.getImageData(0, 0, wide, high).data;
      // Texts and outlines lie over what is lit too, but not everywhere.
      let nClear = 0;
      for (let at = 3; at < (pixels?.length ?? 0); at += 4) nClear += Number(pixels?.[at] === 0);
      return nClear > 0.3 * wide * high;
    },
    { from, to, top: y, height: name.height },
  );
}

/** Points at a state, with as much time around it, and checks of all others whether they are lit. */
async function checkLit(state: Found, isRelated: (other: Found) => boolean): Promise<void> {
  const { start_ticks: start, end_ticks: end } = state;
  const last = Math.max(...found('state').map(({ end_ticks }) => end_ticks));
  const [from, to] = [Math.max(start - (end - start), 0), Math.min(end + (end - start), last)];
  const visit = await session.visit('threads', { view: `rows=24&window=${from}-${to}` });
  await answered(visit);
  const share = (time: number) => (time - from) / (to - from);
  const told = visit.page.waitForResponse((response) => response.url().endsWith('/inspect'));
  await visit.pointAt(rowOf(state), share((start + end) / 2));
  await told;
  await pass(visit.page, 600);
  const pictures = process.env['ONCA_PICTURES'] ?? session.folder.path;
  await visit.page.screenshot({ path: `${pictures}/related.png` });
  let [nLit, nDim] = [0, 0];
  for (const other of found('state')) {
    const begin = Math.max(share(other.start_ticks), 0);
    const finish = Math.min(share(other.end_ticks), 1);
    // What ends where another begins belongs to it only by an instant; what is thin has no middle.
    const isBeside = other.start_ticks === end || other.end_ticks === start;
    if (finish - begin < 0.03 || isBeside) continue;
    const wide = finish - begin;
    const lit = await isLit(visit, rowOf(other), begin + 0.2 * wide, finish - 0.2 * wide);
    expect(lit, `${rowOf(other)} ${other.value} at ${other.start_ticks}`).toBe(isRelated(other));
    if (lit) nLit += 1;
    else nDim += 1;
  }
  expect(nLit).toBeGreaterThan(1);
  expect(nDim).toBeGreaterThan(0);
}

/** A state in the trace that waits at the semaphore, the longest. */
function longestWait(): Found {
  const waits = found('state').filter((state) => gateOf(state) === 'semaphore-1');
  const [longest] = [...waits].sort(
    (a, b) => b.end_ticks - b.start_ticks - (a.end_ticks - a.start_ticks),
  );
  if (longest === undefined) throw new Error('nobody waits');
  return longest;
}

const touches = (one: Found, other: Found) =>
  one.start_ticks < other.end_ticks && other.start_ticks < one.end_ticks;

it('a thread that waits lights the semaphore, who waits there too, and who lets it go', async () => {
  const wait = longestWait();
  const links = found('link').filter(
    (link) =>
      link.destination === wait.container &&
      link.end_ticks >= wait.start_ticks &&
      link.end_ticks <= wait.end_ticks,
  );
  const isAt = (state: Found, time: number) => state.start_ticks <= time && time < state.end_ticks;
  const waitsToo = (state: Found) => gateOf(state) === 'semaphore-1' && touches(state, wait);
  // Of who waits there too, that state is lit, not the one in which it lets others go.
  const tells = new Set(
    found('state')
      .filter(waitsToo)
      .map(({ container }) => container),
  );
  await checkLit(wait, (other) => {
    if (other.container === wait.container) return other.start_ticks === wait.start_ticks;
    if (rowOf(other) === 'semaphore-1') return isAt(other, wait.start_ticks);
    if (tells.has(other.container)) return waitsToo(other);
    return links.some(
      (link) => link.container === other.container && isAt(other, link.start_ticks),
    );
  });
});

it('a semaphore that is contended lights who waits at it meanwhile', async () => {
  const contended = found('state').filter(
    (state) => rowOf(state) === 'semaphore-1' && state.value === 'contended',
  );
  const waits = found('state').filter((state) => gateOf(state) === 'semaphore-1');
  const nWaits = (state: Found) => waits.filter((wait) => touches(wait, state)).length;
  const [state] = [...contended].sort((a, b) => nWaits(b) - nWaits(a));
  if (state === undefined) throw new Error('nothing is contended');
  const lit = new Set(waits.filter((wait) => touches(wait, state)));
  const told = new Set([...lit].map(({ container }) => container));
  const links = found('link').filter(
    (link) =>
      link.container === state.container &&
      !told.has(link.destination ?? '') &&
      link.start_ticks >= state.start_ticks &&
      link.start_ticks <= state.end_ticks,
  );
  const key = ({ container, start_ticks }: Found) => `${container} ${start_ticks}`;
  const keys = new Set([...lit, state].map(key));
  await checkLit(state, (other) => {
    const isAtEnd = (link: Found) =>
      link.destination === other.container &&
      other.start_ticks <= link.end_ticks &&
      link.end_ticks < other.end_ticks;
    return keys.has(key(other)) || links.some(isAtEnd);
  });
});

it('a line of source lights its states in the timeline', async () => {
  const visit = await session.visit('source', { view: 'rows=24' });
  await visit.clickRow('rank 0', 0.5);
  await visit.inspector.getByRole('button', { name: `${SOURCE_FILE}:3` }).click();
  await visit.page.getByText(`1 entity of ${SOURCE_FILE}:3 lit`).waitFor();
  await visit.page.mouse.move(5, 5);
  await pass(visit.page, 600);
  const lit = () =>
    Promise.all([0.02, 0.36, 0.7].map((from) => isLit(visit, 'rank 0', from, from + 0.26)));
  await expect.poll(lit).toEqual([false, true, false]);
  await visit.page.getByRole('button', { name: /compute\(\);/ }).click();
  await visit.page.getByText(`2 entities of ${SOURCE_FILE}:2 lit`).waitFor();
  await expect.poll(lit).toEqual([true, false, true]);
});

it('the menu of a row hides its links', async () => {
  const visit = await session.visit('link', { view: 'rows=24' });
  const asked = questionsOf<Asked>(visit);
  const row = visit.page.getByRole('treeitem', { name: 'rank 0' }).first();
  await row.click({ button: 'right' });
  await visit.page.getByRole('menuitem', { name: 'Hide links of this row' }).click();
  await expect.poll(() => JSON.stringify(asked.get('timeline')?.lens ?? {})).toContain('Message');
  await answered(visit);
  const said = JSON.stringify(asked.get('timeline')?.lens);
  expect(said).toContain('rank 0');
  await visit.page.keyboard.press('Control+z');
  await answered(visit);
  expect(JSON.stringify(asked.get('timeline')?.lens ?? {})).not.toContain('rank 0');
});

it('numbers that are derived as states stand in the legend with their colours', async () => {
  const visit = await session.visit('threads', { view: 'rows=24' });
  const asked = questionsOf<Asked>(visit);
  await visit.page.getByLabel('What is computed').selectOption('count');
  await visit.page.getByLabel('Of what').selectOption({ label: 'running' });
  await visit.page.getByLabel('For each', { exact: true }).selectOption('Process');
  await visit.page.getByLabel('as states').check();
  await visit.page.getByRole('button', { name: 'Add', exact: true }).first().click();
  await expect.poll(() => asked.get('timeline')?.lens?.reduce?.[0]?.as).toBe('states');
  const marks = visit.page.getByRole('list', { name: 'Locks and derived numbers' });
  await marks.waitFor();
  await answered(visit);
  const names = await marks.getByRole('listitem').allTextContents();
  expect(names.length).toBeGreaterThan(1);
  expect(new Set(names).size).toBe(names.length);
  await visit.page.getByRole('button', { name: /^Take away: number in/ }).click();
  await marks.waitFor({ state: 'detached' });
});
