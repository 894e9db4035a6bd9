import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeSolid } from '../../api/fake_solid';
import { presetCamera, View } from './camera';
import { columnsOf, hiddenTest } from './columns';
import { hitAt, type PlacedSolid } from './hit';
import { placesOf } from './places';
import { selectedMarks } from './selected';

const SIZE = { width: 900, height: 600 };
const HEIGHT = 1;
const STILL = { scale: 1, shift: 0 };

function stageFrom(azimuth: number, elevation: number, time = STILL): PlacedSolid {
  const solid = fakeSolid();
  const camera = { ...presetCamera('iso', SIZE, HEIGHT), azimuth, elevation };
  const view = new View(camera, SIZE, HEIGHT);
  return { solid, places: placesOf(solid, []), view, time, showsEdges: true };
}

describe('the pointer over a scene in space', () => {
  const front = stageFrom(0, 20);

  it('finds the box of a state and its node', () => {
    const lower = hitAt(front, front.view.project({ x: -0.5, y: -0.1, z: 0.2 }));
    expect(lower).toMatchObject({ kind: 'boxes', mark: 0, node: 0 });
    expect(lower?.pick).toBe(((1n << 60n) | 100n).toString());
    const upper = hitAt(front, front.view.project({ x: -0.5, y: -0.1, z: 0.8 }));
    expect(upper).toMatchObject({ kind: 'boxes', mark: 1 });
    expect(upper?.z).toBeCloseTo(0.8);
  });

  it('finds a link between its nodes, cut at the window', () => {
    const middle = hitAt(front, front.view.project({ x: 0, y: 0, z: 0.5 }));
    expect(middle).toMatchObject({ kind: 'arrows', mark: 0 });
    // The other one enters the window in the middle of its way.
    expect(hitAt(front, front.view.project({ x: -0.2, y: 0, z: 0.2 }))).toMatchObject({ mark: 1 });
    const outside = front.view.project({ x: 0.2, y: 0, z: -0.2 });
    expect(hitAt(front, outside)?.kind).not.toBe('arrows');
  });

  it('finds events, nodes, edges, network links and cells', () => {
    expect(hitAt(front, front.view.project({ x: 0.605, y: 0, z: 0.1 }))?.kind).toBe('marks');
    const top = stageFrom(0, 90);
    const at = (x: number, y: number) => hitAt(top, top.view.project({ x, y, z: 0 }));
    expect(at(0.5, 0.15)).toMatchObject({ kind: 'nodes', mark: 2, title: 'a host' });
    expect(at(0.5, 0.08)).toMatchObject({ kind: 'nodes', mark: 1 });
    expect(at(0.7, 0.7)).toMatchObject({ kind: 'cells', mark: 0 });
    expect(at(0.95, 0.95)).toBeNull();
    const bare = { ...top, solid: { ...top.solid, arrows: { ...top.solid.arrows, n: 0 } } };
    const under = top.view.project({ x: 0, y: 0.015, z: 0 });
    expect(hitAt(bare, under)).toMatchObject({ kind: 'edges', mark: 0 });
    expect(hitAt({ ...bare, showsEdges: false }, under)).toMatchObject({
      kind: 'cables',
      pick: '0',
    });
  });

  it('finds boxes where they are seen while the window moves', () => {
    const moved = stageFrom(0, 20, { scale: 2, shift: -1 });
    // The upper half of the answer fills the picture now.
    expect(hitAt(moved, moved.view.project({ x: -0.5, y: -0.1, z: 0.1 }))).toMatchObject({
      kind: 'boxes',
      mark: 1,
    });
  });

  it('finds what is nearest, as a search in small steps does', () => {
    const places = fc.record({
      x: fc.double({ min: -0.7, max: 0.7, noNaN: true }),
      z: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const angle = fc.double({ min: 0, max: 360, noNaN: true });
    const slope = fc.double({ min: 3, max: 80, noNaN: true });
    fc.assert(
      fc.property(places, angle, slope, ({ x, z }, azimuth, elevation) => {
        const stage = stageFrom(azimuth, elevation);
        const bare = { ...stage.solid, arrows: { ...stage.solid.arrows, n: 0 } };
        const at = stage.view.project({ x, y: 0, z });
        const hit = hitAt({ ...stage, solid: { ...bare, marks: { ...bare.marks, n: 0 } } }, at);
        const [smaller, larger] = [boxAlong(stage, at, -0.004), boxAlong(stage, at, 0.004)];
        // At an edge, small steps may miss what is there.
        if (smaller !== larger) return;
        if (smaller === null) expect(hit?.kind).not.toBe('boxes');
        else expect(hit).toMatchObject({ kind: 'boxes', mark: smaller });
      }),
      { seed: 3, numRuns: 60 },
    );
  });
});

/** The first box on the way from the eye, with boxes that are larger by a little on all sides. */
function boxAlong(
  { solid, places, view }: PlacedSolid,
  at: { readonly x: number; readonly y: number },
  larger: number,
): number | null {
  const { from, toward } = view.rayAt(at);
  const { boxes, nodes } = solid;
  for (let far = 4; far > -4; far -= 0.002) {
    const [x, y, z] = [from.x + far * toward.x, from.y + far * toward.y, from.z + far * toward.z];
    for (let box = 0; box < boxes.n; box += 1) {
      const node = boxes.node[box];
      const reach = nodes.radius[node] * boxes.radius[box] + larger;
      const isOn = Math.abs(x - places.x[node]) < reach && Math.abs(y - places.y[node]) < reach;
      if (isOn && z > boxes.z0[box] - larger && z < boxes.z1[box] + larger) return box;
    }
  }
  return null;
}

describe('columns', () => {
  it('hide what is behind them and nothing in front', () => {
    const { solid, places, view } = stageFrom(0, 20);
    const hides = hiddenTest(columnsOf(solid), places, view, STILL);
    expect(hides({ x: -0.5, y: 0.5 })).toBe(true);
    expect(hides({ x: -0.5, y: -0.5 })).toBe(false);
    expect(hides({ x: 0, y: 0.5 })).toBe(false);
  });
});

describe('a selection', () => {
  it('is found by numbers of nodes and by picks', () => {
    const solid = fakeSolid();
    expect(selectedMarks(solid, { pick: null, nodes: [4, 5] })).toEqual([
      { kind: 'nodes', mark: 0 },
      { kind: 'nodes', mark: 1 },
      { kind: 'edges', mark: 0 },
    ]);
    const pick = ((1n << 60n) | 201n).toString();
    expect(selectedMarks(solid, { pick, nodes: [] })).toEqual([{ kind: 'arrows', mark: 1 }]);
    expect(selectedMarks(solid, { pick: null, nodes: [9] })).toEqual([{ kind: 'cells', mark: 0 }]);
  });
});
