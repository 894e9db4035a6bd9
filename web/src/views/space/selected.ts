// Which marks of a scene in space are selected.

import { type Marked, pickOf } from '../../api/scene';
import { NONE, type Solid } from '../../api/solid';
import type { Selection } from '../../state/types';
import type { SpaceKind } from './hit';

export interface SelectedMark {
  readonly kind: SpaceKind;
  readonly mark: number;
}

export function selectedMarks(
  solid: Solid,
  { pick, nodes }: Pick<Selection, 'pick' | 'nodes'>,
): readonly SelectedMark[] {
  const found: SelectedMark[] = [];
  const numbers = new Set(nodes);
  for (const kind of ['nodes', 'cells'] as const) {
    for (let mark = 0; numbers.size > 0 && mark < solid[kind].n; mark += 1) {
      const number = solid[kind].node[mark];
      if (number !== NONE && numbers.has(number)) found.push({ kind, mark });
    }
  }
  if (nodes.length === 2) found.push(...edgesBetween(solid, numbers));
  if (pick !== null) {
    for (const kind of ['boxes', 'arrows'] as const)
      found.push(...marksOf(solid[kind], kind, pick));
  }
  return found;
}

/** Two selected nodes are also what they send each other. */
function edgesBetween({ edges, nodes }: Solid, numbers: ReadonlySet<number>): SelectedMark[] {
  const found: SelectedMark[] = [];
  for (let mark = 0; mark < edges.n; mark += 1) {
    const [a, b] = [nodes.node[edges.a[mark]], nodes.node[edges.b[mark]]];
    if (a !== b && numbers.has(a) && numbers.has(b)) found.push({ kind: 'edges', mark });
  }
  return found;
}

function marksOf(layer: Marked, kind: SpaceKind, pick: string): SelectedMark[] {
  const low = Number(BigInt(pick) & 0xffffffffn);
  const found: SelectedMark[] = [];
  for (let mark = 0; mark < layer.n; mark += 1) {
    // The lower half tells nearly all apart, without making large numbers.
    if (layer.pickLow?.[mark] === low && pickOf(layer, mark) === pick) found.push({ kind, mark });
  }
  return found;
}
