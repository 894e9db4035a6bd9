import { expect, it } from 'vitest';
import {
  type Arrangement,
  dropped,
  folded,
  ofAnyTrace,
  readArrangement,
  split,
  steppedTo,
  swapped,
  USUAL_ARRANGEMENT,
  USUAL_OPTIONS,
  usualPane,
  withoutPane,
  withPane,
  withShare,
  writeArrangement,
} from './arrangement';
import { USUAL_SPACE } from './space';

const BOTH: Arrangement = {
  panes: [
    {
      view: 'treemap',
      options: { ...USUAL_OPTIONS, depth: 2, shown: [7, 3], agg: 'max', ratio: 'time / count' },
      own: null,
    },
    {
      view: 'overview',
      options: {
        ...USUAL_OPTIONS,
        p: 0.25,
        slices: 200,
        allValues: true,
        quantity: 'bytes',
        axis: 'time',
        areas: 'grid',
        thinnest: 5,
        collectives: 'alone',
      },
      own: { window: { from: 5, to: 90 }, lens: { version: 1, group: [{ depth: 1 }] } },
    },
  ],
  share: 0.375,
  active: 0,
};

it('a plain view is a word', () => {
  expect(writeArrangement(USUAL_ARRANGEMENT)).toBe('timeline');
  expect(readArrangement('timeline')).toEqual(USUAL_ARRANGEMENT);
  expect(readArrangement('')).toBeNull();
});

it('two views, their options and a lock come back from a text', () => {
  expect(readArrangement(writeArrangement(BOTH))).toEqual(BOTH);
});

it('numbers of phases and their look come back, as far as they make sense', () => {
  const own = {
    phases: 12,
    communities: 3,
    wave: 0.5,
    bands: 2,
    operation: 'MPI_Send',
    tall: 4,
    curve: 'alone',
  } as const;
  const arrangement = withPane(USUAL_ARRANGEMENT, 0, {
    view: 'phases',
    options: { ...USUAL_OPTIONS, ...own },
  });
  expect(readArrangement(writeArrangement(arrangement))).toEqual(arrangement);
  const wrong = readArrangement(
    '[{"view":"phases","phases":0,"communities":-1,"wave":7,"bands":"x","tall":0,"curve":"under"}]',
  );
  expect(wrong?.panes[0]?.options).toEqual({ ...USUAL_OPTIONS, wave: 0.9 });
});

it('what makes no sense is the usual', () => {
  expect(readArrangement('[')).toBeNull();
  expect(readArrangement('{"view": "treemap"}')).toBeNull();
  expect(readArrangement('["nonsense"]')).toBeNull();
  const [pane] =
    readArrangement(
      '[{"view": "overview", "p": 3, "slices": 5, "depth": -1, "chart": 7, "own": {"window": {"from": 9, "to": 2}}}, null]',
    )?.panes ?? [];
  expect(pane).toEqual({
    ...usualPane('overview'),
    options: { ...USUAL_OPTIONS, slices: 10 },
  });
});

it('more than two panes are not opened', () => {
  expect(
    readArrangement('["timeline", "treemap", "matrix"]')?.panes.map(({ view }) => view),
  ).toEqual(['timeline', 'treemap']);
});

it('splitting adds a view that is not there yet, once', () => {
  const both = split(USUAL_ARRANGEMENT);
  expect(both.panes.map(({ view }) => view)).toEqual(['timeline', 'treemap']);
  expect(split(both)).toBe(both);
  expect(split(withPane(USUAL_ARRANGEMENT, 0, usualPane('matrix'))).panes[1]?.view).toBe(
    'timeline',
  );
});

it('panes change places, and the last one stays', () => {
  expect(swapped(BOTH).panes.map(({ view }) => view)).toEqual(['overview', 'treemap']);
  expect(swapped(BOTH).share).toBe(0.625);
  const one = withoutPane(BOTH, 0);
  expect(one.panes.map(({ view }) => view)).toEqual(['overview']);
  expect(withoutPane(one, 0)).toBe(one);
});

it('both panes keep room', () => {
  expect(withShare(BOTH, 0).share).toBe(0.15);
  expect(withShare(BOTH, 2).share).toBe(0.85);
});

it('a view is dropped beside another one, or on it', () => {
  const views = ({ panes }: Arrangement) => panes.map(({ view }) => view);
  const left = dropped(USUAL_ARRANGEMENT, 'matrix', 0, 0, 'left');
  expect(views(left)).toEqual(['matrix', 'timeline']);
  expect(views(dropped(USUAL_ARRANGEMENT, 'matrix', 0, 0, 'right'))).toEqual([
    'timeline',
    'matrix',
  ]);
  expect(views(dropped(USUAL_ARRANGEMENT, 'timeline', 0, 0, 'right'))).toEqual([
    'timeline',
    'timeline',
  ]);
  expect(views(dropped(left, 'flame', 0, 1, 'left'))).toEqual(['matrix', 'flame']);
  expect(views(dropped(left, 'matrix', 0, 1, 'left'))).toEqual(['timeline', 'matrix']);
});

it('what belongs to a comparison, a flame graph and efficiency comes back', () => {
  const options = {
    ...USUAL_OPTIONS,
    against: { from: 3, to: 9 },
    beside: true,
    useful: [1, 4],
    path: ['a', 'b'],
  };
  const pane = { view: 'treemap', options, own: null } as const;
  const arrangement = { ...USUAL_ARRANGEMENT, panes: [pane] };
  expect(readArrangement(writeArrangement(arrangement))).toEqual(arrangement);
  const odd = '[{"view": "treemap", "against": {"from": 9, "to": 3}, "useful": ["x"], "path": 7}]';
  expect(readArrangement(odd)?.panes[0]?.options).toEqual(USUAL_OPTIONS);
});

const UNFOLDED = [
  { title: 'Phase 1', part: { within: { first: 2, last: 8 } }, phases: null, communities: null },
];
const PINS = [['rank 0', 0.5, 0]] as const;
const MOVED: Arrangement = {
  ...BOTH,
  panes: [
    { view: 'phases', options: { ...USUAL_OPTIONS, wave: 0, unfolded: UNFOLDED }, own: null },
    {
      view: 'space',
      options: { ...USUAL_OPTIONS, space: { ...USUAL_SPACE, opacity: 0.5, pins: PINS } },
      own: { window: { from: 5, to: 90 }, lens: { version: 1 } },
    },
  ],
};

it('what is unfolded and moved comes back from a text', () => {
  expect(readArrangement(writeArrangement(MOVED))).toEqual(MOVED);
});

it('another window folds the views that follow it', () => {
  expect(folded(MOVED).panes.map((pane) => pane.options.unfolded.length)).toEqual([0, 0]);
  expect(folded(BOTH)).toBe(BOTH);
  const [phases, space] = MOVED.panes;
  const locked = { ...MOVED, panes: [{ ...phases, own: space?.own ?? null }] } as Arrangement;
  expect(folded(locked)).toBe(locked);
});

it('going back changes what is moved and unfolded, and nothing else', () => {
  const [first, second] = MOVED.panes.map((pane) => ({ ...pane, options: USUAL_OPTIONS }));
  const plain = { ...MOVED, panes: [first, second], share: 0.25 } as Arrangement;
  const back = steppedTo(plain, MOVED);
  expect(back.panes[0]?.options).toEqual({ ...USUAL_OPTIONS, unfolded: UNFOLDED });
  expect(back.panes[1]?.options.space).toEqual({ ...USUAL_SPACE, pins: PINS });
  expect(back.share).toBe(0.25);
  expect(steppedTo(BOTH, MOVED)).toEqual(BOTH);
});

it('another trace has nothing that is moved, unfolded or locked', () => {
  const [phases, space] = ofAnyTrace(MOVED).panes;
  expect(phases?.options).toEqual({ ...USUAL_OPTIONS, wave: 0 });
  expect(space?.options.space).toEqual({ ...USUAL_SPACE, opacity: 0.5 });
  expect(space?.own).toBeNull();
});
