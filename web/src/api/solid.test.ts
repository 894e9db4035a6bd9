import { describe, expect, it } from 'vitest';
import { ApiError } from './error';
import { u32 } from './fake_scene';
import { encodeSolid, FAKE_LAYERS, fakeSolid } from './fake_solid';
import { pickOf, titleOf } from './scene';
import { decodeSolid, NONE } from './solid';

/** The layers with one column of one of them changed. */
function changed(kind: string, name: string, column: Uint32Array) {
  return FAKE_LAYERS.map((layer) =>
    layer.kind === kind ? { ...layer, columns: { ...layer.columns, [name]: column } } : layer,
  );
}

describe('scenes in space on the wire', () => {
  it('keep their numbers and what the header says', () => {
    const solid = fakeSolid();
    expect(solid.window).toEqual({ from: 1000, to: 2000 });
    expect([solid.base, solid.layout, solid.rulerTitle]).toEqual(['topology', 'force', 'time (s)']);
    expect([...solid.nodes.on]).toEqual([NONE, 2, NONE]);
    expect([...solid.boxes.z1]).toEqual([0.5, 1, 0.75]);
    expect([...solid.arrows.count]).toEqual([1, 7]);
    expect([...solid.ribbons.firstPoint]).toEqual([0, 2]);
    expect(solid.cableScale?.stops).toHaveLength(1);
    expect(pickOf(solid.boxes, 1)).toBe(((1n << 60n) | 101n).toString());
    expect(pickOf(solid.cables, 0)).toBeNull();
    expect(titleOf(solid, solid.cables, 0)).toBe('a wire\nbandwidth  1 GB/s');
  });

  it('that are another kind of scene are refused', () => {
    const other = encodeSolid(FAKE_LAYERS, { schema: 'onca-scene/1' });
    expect(() => decodeSolid(other)).toThrow(ApiError);
    expect(() => decodeSolid(encodeSolid(FAKE_LAYERS.slice(1)))).toThrow(/no cells/);
  });

  it('with marks on nodes that are not there are refused', () => {
    expect(() => decodeSolid(encodeSolid(changed('boxes', 'node', u32(0, 3, 1))))).toThrow(/node/);
    expect(() => decodeSolid(encodeSolid(changed('nodes', 'on', u32(NONE, 8, NONE))))).toThrow();
    expect(() => decodeSolid(encodeSolid(changed('arrows', 'b', u32(0))))).toThrow(/too few/);
  });
});
