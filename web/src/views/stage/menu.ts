// The menu of a mark of a scene: that of its value, else that of its row.

import type { Point } from '../../lib/geometry';
import type { Desk } from '../../state/desk.svelte';
import { meaningOf, nodePick } from '../../state/picks';
import type { Viewpoint } from '../../state/viewpoint';

export function openSceneMenu(
  view: Viewpoint,
  desk: Desk,
  page: Point,
  hit: { readonly pick: string } | null,
): void {
  if (hit === null) return;
  const { nodes, value } = meaningOf(hit.pick);
  const [node] = nodes;
  if (value !== null) desk.openMenu(page, { kind: 'value', value });
  else if (node !== undefined) void openRowMenu(view, desk, page, node);
}

async function openRowMenu(
  { session, lens, notices }: Viewpoint,
  desk: Desk,
  page: Point,
  node: number,
): Promise<void> {
  try {
    const question = { pick: nodePick(node), lens };
    const { title, path } = await session.client.inspect(session.traceId, question);
    desk.openMenu(page, { kind: 'row', nodes: [node], name: title, path: path ?? title });
  } catch (error) {
    notices.failed(error);
  }
}
