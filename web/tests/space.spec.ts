// Scenes in space, drawn without a graphics card, and the graph beside them.

import type { Locator, Request, Response } from 'playwright-core';
import { expect, it } from 'vitest';
import { pickOf } from '../src/api/scene';
import { decodeSolid, type Solid } from '../src/api/solid';
import {
  type Place,
  type Point,
  type Preset,
  presetCamera,
  usualHeight,
  View,
} from '../src/views/space/camera';
import { pass, type Visit } from './browser';
import { run, Server } from './onca';
import { answered, exported, Session } from './session';
import { linkTrace } from './traces';

interface Asked {
  readonly window: { readonly from: number; readonly to: number };
  readonly base?: string;
  readonly layout?: string;
  readonly arrows?: number;
  readonly lens?: { readonly select?: { readonly values?: { readonly hide?: readonly string[] } } };
}

let visit: Visit;
let asked: Asked[];
let answers: Promise<Solid>[];

/** Two processes and one message; and a stencil on a network. */
const session = new Session(async (folder) => {
  const small = folder.write('link.paje', linkTrace());
  const [trace, network] = [folder.file('stencil.paje'), folder.file('stencil.dot')];
  const pattern = ['generate', 'pattern', 'stencil2d', '--procs', '16'];
  run([...pattern, '-o', trace, '--write-topology', network]);
  return {
    small: await Server.start([small]),
    stencil: await Server.start([trace, '--topology', network]),
  };
});

const isSolid = (message: Request | Response) => message.url().endsWith('/solid');

async function open(server: 'small' | 'stencil', views: string, more = ''): Promise<void> {
  visit = await session.visit(server);
  [asked, answers] = [[], []];
  // Turning takes a while, and longer on a busy machine.
  await visit.page.emulateMedia({ reducedMotion: 'reduce' });
  visit.page.on('request', (request: Request) => {
    if (isSolid(request)) asked.push(JSON.parse(request.postData() ?? '{}') as Asked);
  });
  visit.page.on('response', (response: Response) => {
    if (!isSolid(response)) return;
    const bytes = response.body().then((body) => decodeSolid(new Uint8Array(body).buffer));
    answers.push(bytes.catch(() => last()));
  });
  await session.show(visit, server, views, more);
  await picture().waitFor();
  await visit.page.waitForFunction(() => (window.onca?.paint.canvases['space']?.vertices ?? 0) > 0);
  await rest();
}

const pane = () => visit.page.getByRole('region', { name: /^Space/ });
const picture = (): Locator => pane().getByRole('application');
const tip = () => visit.page.getByRole('tooltip');
const tipSays = (text: RegExp) => tip().filter({ hasText: text }).waitFor();
const last = (): Promise<Solid> => {
  const answer = answers.at(-1);
  if (answer === undefined) throw new Error('there was no answer');
  return answer;
};

/** Waits until everything is drawn and nothing turns any more. */
async function rest(): Promise<void> {
  await answered(visit);
  await visit.page.evaluate(async () => {
    const frames = () => window.onca?.paint.canvases['space']?.frames ?? 0;
    for (let before = -1; before !== frames(); ) {
      before = frames();
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  });
}

async function turn(preset: Preset): Promise<void> {
  const title = `${preset.slice(0, 1).toUpperCase()}${preset.slice(1)}`;
  await pane().getByRole('button', { name: title, exact: true }).click();
  await rest();
}

/** Where a place of the scene is on the page, seen from a preset. */
async function onPage(preset: Preset, place: (height: number) => Place): Promise<Point> {
  const box = await picture().boundingBox();
  if (box === null) throw new Error('the picture cannot be seen');
  const size = { width: Math.floor(box.width), height: Math.floor(box.height) };
  const height = usualHeight(size);
  const view = new View(presetCamera(preset, size, height), size, height);
  const { x, y } = view.project(place(height));
  return { x: box.x + x, y: box.y + y };
}

/** Where a node of this name is on the base. */
async function nodeNamed(name: string): Promise<{ x: number; y: number; radius: number }> {
  const { nodes, texts } = await last();
  const place = nodes.text.findIndex((text) => texts[text] === name);
  if (place < 0) throw new Error(`there is no ${name}`);
  return { x: nodes.x[place], y: nodes.y[place], radius: nodes.radius[place] };
}

/** This many different colours are in the middle of the picture. */
async function colors(): Promise<number> {
  return picture()
    .locator('canvas')
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      const copy = document.createElement('canvas');
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext('2d');
      context?.drawImage(canvas, 0, 0);
      const pixels = context?.getImageData(0, 0, copy.width, copy.height).data ?? [];
      const found = new Set<number>();
      for (let at = 0; at < pixels.length; at += 4) {
        found.add(((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0));
      }
      return found.size;
    });
}

it('a scene is drawn, in few draw calls', async () => {
  await open('stencil', 'space');
  expect(await colors()).toBeGreaterThan(20);
  const cost = await visit.page.evaluate(() => window.onca?.paint.canvases['space']);
  expect(cost?.drawCalls).toBeGreaterThan(2);
  expect(cost?.drawCalls).toBeLessThanOrEqual(50);
  const { boxes } = await last();
  expect(boxes.n).toBeGreaterThan(16);
  expect(cost?.vertices).toBeGreaterThanOrEqual(boxes.n * 8);
});

it('the pointer finds the right state, and a click selects it everywhere', async () => {
  await open('small', '["timeline", "space"]');
  const { x, y, radius } = await nodeNamed('rank 1');
  await turn('iso');
  // Just inside the side that is seen, at three quarters of the time.
  const at = await onPage('iso', (height) => ({
    x: x + 0.5 * radius,
    y: y - radius,
    z: 0.75 * height,
  }));
  await visit.page.mouse.move(at.x, at.y);
  await tipSays(/receiving/);
  expect(await tip().textContent()).toContain('rank 1');
  await visit.page.mouse.click(at.x, at.y);
  await visit.inspector.getByText('receiving').first().waitFor();
  expect(await visit.addressPart('pick')).toMatch(/^\d+$/);
  const lower = await onPage('iso', (height) => ({
    x: x + 0.5 * radius,
    y: y - radius,
    z: 0.25 * height,
  }));
  await visit.page.mouse.move(lower.x, lower.y);
  await tipSays(/waiting/);
});

it('the pointer finds the link', async () => {
  await open('small', 'space');
  const [a, b] = [await nodeNamed('rank 0'), await nodeNamed('rank 1')];
  await turn('iso');
  // In the middle of its way it is also in the middle of its time: from 0.5 to 2.5 of 4 seconds.
  const at = await onPage('iso', (height) => ({
    x: (a.x + b.x) / 2,
    y: (a.y + b.y) / 2,
    z: 0.375 * height,
  }));
  await visit.page.mouse.move(at.x, at.y);
  await tipSays(/data/);
  expect(await tip().textContent()).toMatch(/rank 0.*→.*rank 1/);
  await visit.page.mouse.click(at.x, at.y);
  await visit.inspector.getByText('data').first().waitFor();
});

it('presets turn the scene, and the address remembers from where it is seen', async () => {
  await open('small', 'space');
  await visit.page.emulateMedia({ reducedMotion: 'no-preference' });
  await turn('top');
  await visit.page.waitForFunction(() =>
    decodeURIComponent(location.hash).includes('"camera":[0,90,'),
  );
  await visit.page.emulateMedia({ reducedMotion: 'reduce' });
  await turn('side');
  const address = await visit.addressPart('views');
  expect(address).toContain('"camera":[90,0,');
  expect(await colors()).toBeGreaterThan(4);
  await open('small', address ?? '');
  expect(await visit.addressPart('views')).toBe(address);
});

it('a drag turns, the wheel goes nearer, and neither asks the server', async () => {
  await open('small', 'space');
  await turn('iso');
  const questions = asked.length;
  const before = await visit.addressPart('views');
  const at = await onPage('iso', () => ({ x: -0.9, y: 0.9, z: 0 }));
  await visit.page.mouse.move(at.x, at.y);
  await visit.page.mouse.down();
  await visit.page.mouse.move(at.x + 50, at.y, { steps: 4 });
  await visit.page.mouse.up();
  const turned = await visit.addressPart('views');
  expect(turned).toContain('"camera":[10,28,');
  expect(turned).not.toBe(before);
  await visit.page.mouse.wheel(0, -200);
  expect(await visit.addressPart('views')).not.toBe(turned);
  expect(asked.length).toBe(questions);
});

it('the window, hidden values and the selection are those of all views', async () => {
  await open('small', '["timeline", "space"]');
  const whole = (await last()).window;
  await visit.plot.first().focus();
  await visit.page.keyboard.press('w');
  const nearer = await visit.window();
  await rest();
  expect((await last()).window).toEqual(nearer);
  expect(nearer?.from).toBeGreaterThan(whole.from);
  // The other way round: time is scaled over the scene.
  await picture().hover();
  await visit.page.keyboard.down('Alt');
  await visit.page.mouse.wheel(0, -300);
  await visit.page.keyboard.up('Alt');
  const narrower = await visit.window();
  expect((narrower?.to ?? 0) - (narrower?.from ?? 0)).toBeLessThan(
    (nearer?.to ?? 0) - (nearer?.from ?? 0),
  );
  const calls = () => visit.page.evaluate(() => window.onca?.paint.canvases['space']?.drawCalls);
  await visit.page.mouse.move(4, 4);
  await rest();
  const before = (await calls()) ?? 0;
  await visit.page.getByRole('treeitem', { name: 'rank 1' }).first().click();
  await visit.page.mouse.move(4, 4);
  await rest();
  // The outline of what is selected.
  expect(await calls()).toBe(before + 1);
  await visit.page.keyboard.press('f');
  await rest();
  expect((await last()).boxes.n).toBe(4);
  await visit.page.getByRole('button', { name: 'Hide waiting' }).click();
  await rest();
  expect((await last()).boxes.n).toBe(3);
});

it('a replay moves the window of the scene alone', async () => {
  await open('stencil', 'space');
  await pane().getByRole('button', { name: 'Play' }).click();
  await pass(visit.page, 1500);
  await pane().getByRole('button', { name: 'Pause' }).click();
  await rest();
  const played = (await last()).window;
  expect(played.from).toBeGreaterThan(0);
  expect(await visit.window()).toBeNull();
  await pane().getByRole('button', { name: 'Step back' }).click();
  await rest();
  expect((await last()).window.from).toBeLessThan(played.from);
});

it('a node is moved on the base, and goes back', async () => {
  await open('small', 'space');
  await turn('top');
  const { x, y, radius } = await nodeNamed('rank 0');
  const at = await onPage('top', () => ({ x, y, z: 0 }));
  const to = await onPage('top', () => ({ x, y: y - 4 * radius, z: 0 }));
  await visit.page.keyboard.down('Control');
  await visit.page.mouse.move(at.x, at.y);
  await visit.page.mouse.down();
  await visit.page.mouse.move(to.x, to.y, { steps: 4 });
  await visit.page.mouse.up();
  await visit.page.keyboard.up('Control');
  await pane().getByRole('button', { name: 'Unpin 1' }).waitFor();
  await visit.page.mouse.move(to.x + 200, to.y);
  await visit.page.mouse.move(to.x, to.y);
  await tipSays(/rank 0/);
  await pane().getByRole('button', { name: 'Unpin 1' }).click();
  expect(await pane().getByRole('button', { name: /Unpin/ }).count()).toBe(0);
});

it('a network tells of its links, and the base can be another', async () => {
  await open('stencil', '[{"view": "space", "space": {"base": "topology", "arrows": false}}]');
  const { cables, nodes } = await last();
  expect(cables.n).toBeGreaterThan(4);
  expect(asked.at(-1)).toMatchObject({ base: 'topology', arrows: 0 });
  await turn('top');
  const [a, b] = [cables.a[0], cables.b[0]];
  const middle = (share: number) => ({
    x: nodes.x[a] + share * (nodes.x[b] - nodes.x[a]),
    y: nodes.y[a] + share * (nodes.y[b] - nodes.y[a]),
    z: 0,
  });
  const at = await onPage('top', () => middle(0.5));
  await visit.page.mouse.move(at.x, at.y);
  await tip().waitFor();
  expect(await tip().textContent()).toMatch(/bandwidth/i);
  await pane().getByLabel('Base').selectOption('treemap');
  await rest();
  expect((await last()).cells.n).toBeGreaterThan(4);
  await pane().getByLabel('Base').selectOption('graph');
  await pane().getByLabel('Layout').selectOption('circular');
  await rest();
  expect(asked.at(-1)).toMatchObject({ base: 'graph', layout: 'circular' });
});

it('moved nodes are in the address, and going back undoes a move', async () => {
  await open('small', 'space');
  await turn('top');
  const { x, y, radius } = await nodeNamed('rank 0');
  const [from, to] = [
    { x, y },
    { x: x + radius, y: y - 4 * radius },
  ];
  const at = await onPage('top', () => ({ ...from, z: 0 }));
  const end = await onPage('top', () => ({ ...to, z: 0 }));
  await visit.page.keyboard.down('Control');
  await visit.page.mouse.move(at.x, at.y);
  await visit.page.mouse.down();
  await visit.page.mouse.move(end.x, end.y, { steps: 4 });
  await visit.page.mouse.up();
  await visit.page.keyboard.up('Control');
  const unpin = () => pane().getByRole('button', { name: 'Unpin 1' });
  await unpin().waitFor();
  const views = (await visit.addressPart('views')) ?? '';
  const [, name, px, py] = /"pins":\[\["([^"]*)",([-\d.]+),([-\d.]+)\]\]/.exec(views) ?? [];
  expect(name).toContain('rank 0');
  expect(Number(px)).toBeCloseTo(to.x, 1);
  expect(Number(py)).toBeCloseTo(to.y, 1);
  await visit.page.keyboard.press('Control+z');
  await expect.poll(() => unpin().count()).toBe(0);
  // From where it is seen is no step of its own.
  expect(await visit.addressPart('views')).toContain('"camera":[0,90,');
  await visit.page.keyboard.press('Control+y');
  await unpin().waitFor();
  await open('small', views);
  expect(await unpin().count()).toBe(1);
  const there = await onPage('top', () => ({ ...to, z: 0 }));
  await visit.page.mouse.move(there.x + 3, there.y);
  await visit.page.mouse.move(there.x, there.y);
  await tipSays(/rank 0/);
});

it('a scene and its network are files, with the commands that draw the same', async () => {
  await open('stencil', '[{"view": "space", "space": {"base": "topology", "cables": "latency"}}]');
  await turn('side');
  await visit.page.getByRole('button', { name: 'Export', exact: true }).click();
  const dialog = visit.page.getByRole('dialog');
  for (const [picture, says] of [
    ['scene3d', /onca render scene3d .*--camera=90,0 .*--colors=latency/],
    ['topology', /onca render topology .*--colors=latency/],
  ] as const) {
    if (picture === 'topology') {
      await dialog.getByLabel('What').selectOption({ label: 'Network' });
    }
    await dialog.getByText(says).waitFor();
    const { saved, drawn } = await exported(visit, session.folder);
    expect(saved.equals(drawn)).toBe(true);
  }
});

it('where there is no graphics card, a scene is coarse while it turns and fine at rest', async () => {
  await open('stencil', 'space');
  const pixels = () =>
    picture()
      .locator('canvas')
      .first()
      .evaluate((canvas: HTMLCanvasElement) => canvas.width);
  const fine = await pixels();
  const seen = await visit.page.evaluate(async () => {
    const stage = document.querySelector<HTMLElement>('[role="application"]');
    const canvas = stage?.querySelector('canvas');
    const widths = new Set<number>();
    for (let turn = 0; turn < 6; turn += 1) {
      stage?.dispatchEvent(new KeyboardEvent('keydown', { key: 'q', bubbles: true }));
      for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
      widths.add(canvas?.width ?? 0);
    }
    return [...widths];
  });
  expect(Math.min(...seen)).toBe(Math.floor(fine / 2));
  await rest();
  expect(await pixels()).toBe(fine);
});

it('the route of a selected message is drawn over the network, and told', async () => {
  const views = '[{"view": "space", "space": {"base": "topology"}}]';
  await open('stencil', views);
  const solid = await last();
  const { arrows, nodes, texts } = solid;
  // What stands on different machines crosses the network.
  const far = Array.from({ length: arrows.n }, (_, arrow) => arrow).find(
    (arrow) => nodes.on[arrows.a[arrow]] !== nodes.on[arrows.b[arrow]],
  );
  const pick = far === undefined ? null : pickOf(arrows, far);
  if (far === undefined || pick === null) throw new Error('all messages stay on their machine');
  const machine = (place: number) => texts[nodes.text[nodes.on[place]]] ?? '';
  await turn('top');
  const strokes = () => visit.page.evaluate(() => window.onca?.paint.canvases['space']?.vertices);
  const before = (await strokes()) ?? 0;
  await session.show(visit, 'stencil', views, `&pick=${pick}`);
  await visit.inspector.getByText(/assumed: the shortest/).waitFor();
  const way = await visit.inspector.getByText(/assumed: the shortest/).textContent();
  expect(way).toMatch(new RegExp(`^${machine(arrows.a[far])} → .* → ${machine(arrows.b[far])} `));
  await rest();
  // Two bands and a head for each of at least two links, and the message itself.
  expect(((await strokes()) ?? 0) - before).toBeGreaterThanOrEqual(2 * 11);
  const pictures = process.env['ONCA_PICTURES'] ?? session.folder.path;
  await visit.page.screenshot({ path: `${pictures}/route.png` });
});
