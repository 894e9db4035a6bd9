import { expect, it } from 'vitest';
import { Client } from './client';
import { encodeScene } from './fake_scene';

const session = { schema: 'onca-session/1', traces: [] };
const start = { session, id: '1', trace: { info: { name: 'a' }, marks: { marks: [] } } };
const json = { 'Content-Type': 'application/json' };
const scene = { 'Content-Type': 'application/x-onca-scene' };

it('reads a start without a scene', async () => {
  const answer = new Response(JSON.stringify({ ...start, trace: null }), { headers: json });
  const read = await new Client().started(Promise.resolve(answer));
  expect(read).toMatchObject({ session, id: '1', trace: null, first: null });
});

it('reads a start with a scene, and the question that it answers', async () => {
  const question = { window: { from: 0, to: 9 }, width: 100 };
  const window = { from: 0, to: 9 };
  const bytes = encodeScene([], { window, rows: [], height: 40, start, question });
  const answer = new Response(bytes, { headers: scene });
  const read = await new Client().started(Promise.resolve(answer));
  expect(read).toMatchObject({ ...start, first: { trace: '1', question } });
  expect(read?.first?.scene.height).toBe(40);
});

it('leaves it to others to ask when there is no start', async () => {
  const client = new Client();
  expect(await client.started(Promise.reject(new TypeError('no network')))).toBeNull();
  expect(await client.started(Promise.resolve(new Response('', { status: 503 })))).toBeNull();
  const cut = new Response(new Uint8Array(4), { headers: scene });
  expect(await client.started(Promise.resolve(cut))).toBeNull();
});
