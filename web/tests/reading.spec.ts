// What colours mean, and a window chosen in the strip at the top.

import { expect, it } from 'vitest';
import type { Visit } from './browser';
import { Server } from './onca';
import { answered, Session } from './session';
import { flatTrace, ringTrace } from './traces';

const N_RANKS = 60;
const session = new Session(async (folder) => ({
  ring: await Server.start([folder.write('ring.paje', ringTrace(12))]),
  flat: await Server.start([folder.write('flat.paje', flatTrace(N_RANKS))]),
}));

async function picture({ page }: Visit, name: string): Promise<void> {
  const folder = process.env['ONCA_PICTURES'] ?? session.folder.path;
  await page.screenshot({ path: `${folder}/${name}.png` });
}

it.each([
  ['matrix', 'ring', /messages: 0 to 12$/],
  ['graph', 'ring', /messages: 0 to 12$/],
  ['overview', 'flat', /colour of the strongest value.*: 0 % to 100 %$/],
] as const)('the %s says what its colours mean', async (view, trace, said) => {
  for (const dark of [false, true]) {
    const visit = await session.visit(trace, { dark, size: { width: 1280, height: 720 } });
    await session.show(visit, trace, `["${view}"]`);
    await answered(visit);
    await visit.page.getByRole('img', { name: said }).waitFor();
    await picture(visit, `scale-${view}-${dark ? 'dark' : 'light'}`);
  }
});

it('a drag on the strip at the top selects a window, with Shift inside of one too', async () => {
  const visit = await session.visit('flat');
  const band = await visit.page
    .getByRole('slider', { name: 'Window in the whole trace' })
    .boundingBox();
  if (band === null) throw new Error('no strip');
  const drag = async (from: number, to: number) => {
    const y = band.y + band.height / 2;
    await visit.page.mouse.move(band.x + from * band.width, y);
    await visit.page.mouse.down();
    await visit.page.mouse.move(band.x + ((from + to) / 2) * band.width, y);
    await visit.page.mouse.move(band.x + to * band.width, y);
    await visit.page.mouse.up();
  };
  const seconds = async () => {
    const window = await visit.window();
    return [window?.from ?? 0, window?.to ?? 0].map((ticks) => ticks / 1e9);
  };
  await drag(0.25, 0.75);
  const [from, to] = await seconds();
  expect(from).toBeCloseTo(1, 1);
  expect(to).toBeCloseTo(3, 1);
  await visit.page.keyboard.down('Shift');
  await drag(0.4, 0.6);
  await visit.page.keyboard.up('Shift');
  const [inner, end] = await seconds();
  expect(inner).toBeCloseTo(1.6, 1);
  expect(end).toBeCloseTo(2.4, 1);
});
