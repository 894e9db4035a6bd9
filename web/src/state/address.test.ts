import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AddressedView, readAddress, writeAddress } from './address';
import { split, USUAL_ARRANGEMENT, usualPane } from './arrangement';
import { NOTHING_SELECTED, PANEL_NAMES } from './types';
import { unreadableParts } from './unreadable';

const VIEW: AddressedView = {
  trace: 'run-1',
  window: { from: 1200, to: 3400 },
  lensText: 'z.abc_-',
  selection: { ...NOTHING_SELECTED, pick: '1152921504606846977', nodes: [3, 14] },
  depth: 2,
  open: [5],
  closed: [],
  pins: [],
  rowHeight: 'fit',
  scrollY: 0,
  links: 'all',
  causes: ['path'],
  stateDepths: 3,
  overlay: true,
  panels: { inspector: true, bottom: false, tab: 'sql' },
  workspace: { ...USUAL_ARRANGEMENT, panes: [usualPane('treemap')] },
  beside: '61.5 linked trace=2&window=1-2',
  marks: [{ time: 7, name: 'a & b', note: '#1', color: '#cc3366' }],
};

describe('addresses', () => {
  it('say the view in words', () => {
    expect(writeAddress(VIEW)).toBe(
      'trace=run-1&window=1200-3400&lens=z.abc_-&pick=1152921504606846977&nodes=3.14&depth=2' +
        '&open=5&rows=fit&links=all&causes=path&deep=3&overlay=1&panels=inspector.sql&views=treemap' +
        '&beside=61.5+linked+trace%3D2%26window%3D1-2&marks=%5B%5B7%2C%22a+%26+b%22%2C%22%231%22%2C%22%23cc3366%22%5D%5D',
    );
  });

  it('give every view back', () => {
    const whole = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 1 });
    const window = fc
      .tuple(whole, whole)
      .filter(([from, to]) => from < to)
      .map(([from, to]) => ({ from, to }));
    const nodes = fc.array(fc.nat(), { maxLength: 4 });
    const selection = fc.record({
      pick: fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)),
      at: fc.option(whole),
      span: fc.option(whole),
      nodes,
      range: fc.option(window),
      value: fc.option(fc.nat()),
      lasting: fc.option(window),
    });
    const mark = fc.record({
      time: whole,
      name: fc.string({ unit: 'grapheme' }),
      note: fc.string(),
      color: fc.constantFrom('#cc3366', '#0072b2'),
    });
    const view = fc.record<AddressedView>({
      trace: fc.string({ minLength: 1 }),
      window: fc.option(window),
      lensText: fc.constantFrom('', 'z.Zm9v', `h.${'0'.repeat(64)}`),
      selection,
      depth: fc.option(fc.nat()),
      open: nodes,
      closed: nodes,
      pins: nodes,
      rowHeight: fc.oneof(fc.constant('fit' as const), fc.integer({ min: 4, max: 48 })),
      scrollY: fc.nat(),
      links: fc.constantFrom('none', 'selection', 'all'),
      causes: fc.subarray(['waits', 'path']),
      stateDepths: fc.option(fc.integer({ min: 1, max: 64 })),
      overlay: fc.boolean(),
      panels: fc.record({
        inspector: fc.boolean(),
        bottom: fc.boolean(),
        tab: fc.constantFrom(...PANEL_NAMES),
      }),
      workspace: fc.constantFrom(
        USUAL_ARRANGEMENT,
        { ...split(USUAL_ARRANGEMENT), active: 0 },
        { ...USUAL_ARRANGEMENT, panes: [usualPane('matrix')] },
      ),
      beside: fc.constantFrom('', '50', '33.3 linked trace=2&marks=%5B%5D'),
      marks: fc.array(mark, { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(view, (given) => {
        expect(readAddress(`#${writeAddress(given)}`)).toEqual(given);
        expect(unreadableParts(`#${writeAddress(given)}`)).toEqual([]);
      }),
      { seed: 6 },
    );
  });

  it('leave out what cannot be read', () => {
    const parts = readAddress(
      '#window=9-3&pick=x&nodes=1.y.2&rows=900&links=some&panels=nowhere&depth=-1&marks=%5B%5B1%5D%5D',
    );
    expect(parts.window).toBeNull();
    expect(parts.selection).toEqual({ ...NOTHING_SELECTED, nodes: [1, 2] });
    expect(parts.rowHeight).toBeUndefined();
    expect(parts.links).toBeUndefined();
    expect(parts.panels).toBeUndefined();
    expect(parts.depth).toBeNull();
    expect(parts.marks).toEqual([]);
  });

  it('tell what cannot be read, and what nobody knows, by name', () => {
    const named = unreadableParts(
      '#window=9-3&rows=fit&links=some&beside=99&colour=red&nodes=1.y&depth=',
    );
    expect(named).toEqual(['window', 'links', 'beside', 'colour', 'nodes']);
    const views = encodeURIComponent('[{"view": "treemap", "metric": "count", "size": 3}]');
    expect(unreadableParts(`#views=${views}`)).toEqual(['views.size']);
    expect(unreadableParts('')).toEqual([]);
  });

  it('tell no marks from none given', () => {
    expect(readAddress('').marks).toBeUndefined();
    expect(readAddress('#marks=nonsense').marks).toEqual([]);
  });
});
