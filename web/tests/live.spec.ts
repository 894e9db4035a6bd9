// A trace that is written while it is shown.

import { appendFileSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pass, type Visit } from './browser';
import { run, Server } from './onca';
import { answered, Session } from './session';

/** Record lines of the trace, in pieces; the first has the header. */
let pieces: readonly string[] = [];
let path = '';

const session = new Session(async (folder) => {
  const whole = folder.file('whole.paje');
  run(['generate', 'iterative', '--procs', '8', '--iterations', '60', '-o', whole]);
  const all = readFileSync(whole, 'utf8').split(/(?<=\n)/);
  const cut = (from: number, to: number) => all.slice(from * all.length, to * all.length).join('');
  pieces = [cut(0, 0.3), cut(0.3, 0.5), cut(0.5, 0.7), cut(0.7, 0.85), cut(0.85, 1)];
  path = folder.write('grows.paje', pieces[0] ?? '');
  const named = folder.write('named.paje', NAMES_FIRST);
  const strict = folder.write('strict.paje', STRICT);
  return {
    live: await Server.start(['--follow', path]),
    named: await Server.start(['--follow', named]),
    strict: await Server.start(['--follow', '--strict', strict]),
  };
});

const field = (name: string, kind: string) => `% ${name} ${kind}\n`;
const event = (name: string, id: number, ...fields: readonly (readonly [string, string])[]) =>
  `%EventDef Paje${name} ${id}\n${fields.map(([of, kind]) => field(of, kind)).join('')}%EndEventDef\n`;
const NAMED = [
  ['Alias', 'string'],
  ['Type', 'string'],
  ['Name', 'string'],
] as const;
/** A process in a state whose name is longer than another that comes later and would like the same colour. */
const NAMES_FIRST = [
  event('DefineContainerType', 0, ...NAMED),
  event('DefineStateType', 1, ...NAMED),
  event('CreateContainer', 2, ['Time', 'date'], ...NAMED, ['Container', 'string']),
  event(
    'SetState',
    3,
    ['Time', 'date'],
    ['Type', 'string'],
    ['Container', 'string'],
    ['Value', 'string'],
  ),
  '0 P 0 Process\n1 S P State\n2 0 b P b 0\n2 0 d P d 0\n',
  '3 1 S b MPI_Waitall\n3 1 S d MPI_Waitall\n3 2 S b Compute\n',
].join('');
/** The same with its values defined, as strict reading wants it. */
const STRICT = NAMES_FIRST.replace(
  '2 0 b P',
  `${event('DefineEntityValue', 4, ...NAMED)}4 w S MPI_Waitall\n4 c S Compute\n2 0 b P`,
);
const NAMES_LATER =
  '2 3 a P a 0\n2 3 c P c 0\n3 3 S a MPI_Wait\n3 3 S b MPI_Wait\n3 4 S d MPI_Waitall\n';

const bar = ({ page }: Visit) => page.getByRole('status', { name: 'Live trace' });

async function records(visit: Visit): Promise<number> {
  const text = await bar(visit).innerText();
  return Number((/([\d,]+) records/.exec(text)?.[1] ?? '').replaceAll(',', ''));
}

async function grow(visit: Visit, piece: number): Promise<void> {
  const before = await records(visit);
  appendFileSync(path, pieces[piece] ?? '');
  await expect.poll(() => records(visit), { timeout: 20_000 }).toBeGreaterThan(before);
}

interface Info {
  readonly records: number;
  readonly values: readonly { readonly name: string; readonly color: string }[];
}
const infoOf = ({ page }: Visit): Promise<Info> =>
  page.evaluate(async () => (await fetch('/api/traces/1/info')).json() as Promise<Info>);

it('colours and the order of rows stay when names and rows come', async () => {
  const visit = await session.visit('named', { view: 'rows=18' });
  await answered(visit);
  await bar(visit).waitFor();
  const rows = () => visit.page.locator('[role="treeitem"]').allInnerTexts();
  const colors = async () =>
    new Map((await infoOf(visit)).values.map(({ name, color }) => [name, color]));
  const [rowsBefore, before] = [await rows(), await colors()];
  expect(rowsBefore.length).toBeGreaterThan(1);
  appendFileSync(session.folder.file('named.paje'), NAMES_LATER);
  await expect.poll(async () => (await colors()).size, { timeout: 20_000 }).toBe(3);
  const after = await colors();
  for (const [name, color] of before) expect(after.get(name), name).toBe(color);
  expect(after.get('MPI_Wait')).not.toBe(after.get('MPI_Waitall'));
  await expect.poll(async () => (await rows()).length).toBe(rowsBefore.length + 2);
  const stayed = (await rows()).filter((row) => rowsBefore.includes(row));
  expect(stayed).toEqual(rowsBefore);
}, 120_000);

it('what breaks off is told, and the picture stays', async () => {
  const visit = await session.visit('strict', { view: 'rows=18' });
  await answered(visit);
  await bar(visit).waitFor();
  const { records: before } = await infoOf(visit);
  appendFileSync(session.folder.file('strict.paje'), '999 there is no such event\n');
  await expect.poll(() => bar(visit).innerText(), { timeout: 20_000 }).toContain('Broken off');
  expect((await infoOf(visit)).records).toBe(before);
}, 120_000);

it('the picture follows until it is moved, and again when that is asked for', async () => {
  const visit = await session.visit('live', { view: 'rows=18' });
  await answered(visit);
  await bar(visit).waitFor();
  const follow = visit.page.getByRole('button', { name: 'Follow' });
  const isFollowing = () => follow.getAttribute('aria-pressed');
  const window = () => visit.page.locator('footer.status .window').first().innerText();
  expect(await isFollowing()).toBe('true');
  const first = await window();
  await grow(visit, 1);
  await expect.poll(window, { timeout: 20_000 }).not.toBe(first);
  expect(await isFollowing()).toBe('true');
  // A zoom stops it, and the window stays.
  await visit.page.keyboard.press('w');
  await expect.poll(isFollowing).toBe('false');
  const zoomed = await window();
  await grow(visit, 2);
  expect(await window()).toBe(zoomed);
  await follow.click();
  await expect.poll(window).not.toBe(zoomed);
  const resumed = await window();
  await grow(visit, 3);
  await expect.poll(window, { timeout: 20_000 }).not.toBe(resumed);
  expect(await isFollowing()).toBe('true');
  const folder = process.env['ONCA_PICTURES'] ?? session.folder.path;
  await visit.page.screenshot({ path: `${folder}/live.png` });
}, 120_000);

it('findings are asked for again, and rest in between', async () => {
  const visit = await session.visit('live', { view: 'rows=18' });
  await answered(visit);
  await bar(visit).waitFor();
  const begun = performance.now();
  let asked = 0;
  visit.page.on('request', (request) => {
    if (request.url().endsWith('/findings')) asked += 1;
  });
  const list = visit.page.getByRole('region', { name: 'What costs time' });
  await expect.poll(() => list.innerText(), { timeout: 20_000 }).toContain('still grows');
  const lines = pieces[4]?.split(/(?<=\n)/) ?? [];
  for (let part = 0; part < 8; part += 1) {
    const from = Math.floor((part * lines.length) / 8);
    const to = Math.floor(((part + 1) * lines.length) / 8);
    appendFileSync(path, lines.slice(from, to).join(''));
    await pass(visit.page, 500);
  }
  expect(asked).toBeLessThanOrEqual(1 + (performance.now() - begun) / 3000);
  // What came since is asked about, too.
  await expect.poll(() => asked, { timeout: 20_000 }).toBeGreaterThan(0);
}, 120_000);
