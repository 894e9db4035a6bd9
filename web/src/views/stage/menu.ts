// The menu of a mark of a scene: that of its value, else that of its row.

import type { Point } from '../../lib/geometry';
import type { App } from '../../state/app.svelte';
import { meaningOf, nodePick } from '../../state/picks';

export function openSceneMenu(
  app: App,
  { x, y }: Point,
  hit: { readonly pick: string } | null,
): void {
  if (hit === null) return;
  const { nodes, value } = meaningOf(hit.pick);
  const [node] = nodes;
  if (value !== null) app.openMenu(x, y, { kind: 'value', value });
  else if (node !== undefined) void openRowMenu(app, x, y, node);
}

async function openRowMenu(app: App, x: number, y: number, node: number): Promise<void> {
  try {
    const question = { pick: nodePick(node), lens: app.lens };
    const { title, path } = await app.client.inspect(app.traceId, question);
    app.openMenu(x, y, { kind: 'row', nodes: [node], name: title, path: path ?? title });
  } catch (error) {
    app.notices.failed(error);
  }
}
