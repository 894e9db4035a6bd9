// Steps from one thing to the next: along its row, in cause, on the critical path, by length.

import type { Navigation } from './navigation.svelte';
import { isEntity, isInspectable, nodePick, valuePick } from './picks';
import type { ChainStep, Selection } from './types';
import type { Viewpoint } from './viewpoint';

/** What is told where there is no step: back, on. */
const NOTHING: Readonly<Record<ChainStep['along'], readonly [string, string]>> = {
  row: ['Nothing comes before it on the row', 'Nothing comes after it on the row'],
  cause: ['No cause of it is known', 'No effect of it is known'],
  path: ['The critical path begins here', 'The critical path ends here'],
  length: ['None is longer', 'None is shorter'],
};

const NEEDED: Readonly<Record<ChainStep['along'], string>> = {
  row: 'Select a row or something on it first.',
  cause: 'Select a state or a message first.',
  path: '',
  length: 'Select a state, a message or a value first.',
};

/** What a step begins at; `null` if what is selected cannot be that. */
export function beginOf(
  { pick, value, nodes }: Selection,
  along: ChainStep['along'],
): string | null {
  if (pick !== null && isEntity(pick)) return pick;
  if (along === 'row') return nodes[0] === undefined ? null : nodePick(nodes[0]);
  if (along !== 'length') return null;
  if (value !== null) return valuePick(value);
  return pick !== null && isInspectable(pick) ? pick : null;
}

let last: Promise<void> = Promise.resolve();

/** Goes on from where the last step leads, however soon the next one is asked for. */
export function go(view: Viewpoint, navigation: Navigation, step: ChainStep): Promise<void> {
  const next = last.then(() => goNow(view, navigation, step));
  last = next.catch(() => undefined);
  return next;
}

async function goNow(
  view: Viewpoint,
  navigation: Navigation,
  { step, along }: ChainStep,
): Promise<void> {
  const { lens, session, window } = view;
  const { traceId, client } = session;
  const pick = beginOf(view.selection, along);
  if (pick === null && along !== 'path') throw new Error(NEEDED[along]);
  const next = await client.step(traceId, {
    ...(pick !== null && { pick }),
    step,
    along,
    lens,
    // A row begins where the window does.
    ...(along === 'row' && { window }),
  });
  if (next === null) {
    view.notices.done(NOTHING[along][step === -1 ? 0 : 1]);
    return;
  }
  const { node, start, end } = await client.inspect(traceId, { pick: next, lens });
  if (along === 'path' && !navigation.causes.includes('path')) navigation.setCause('path', true);
  if (start !== null) navigation.reveal(next, node, start, end ?? start);
}
