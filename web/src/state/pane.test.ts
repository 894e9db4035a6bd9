// @vitest-environment happy-dom

import { beforeEach, expect, it } from 'vitest';
import { fakeNavigation, LENGTH } from './fake_navigation';
import type { Navigation } from './navigation.svelte';
import type { Pane } from './pane.svelte';
import { Workspace } from './workspace.svelte';

const GROUPED = { version: 1, group: [{ level: 'host' }] } as const;

let navigation: Navigation;
let workspace: Workspace;
let left: Pane;
let right: Pane;

beforeEach(() => {
  navigation = fakeNavigation();
  workspace = new Workspace(navigation);
  workspace.split();
  const [first, second] = workspace.panes;
  if (first === undefined || second === undefined) throw new Error('there are no two panes');
  [left, right] = [first, second];
});

it('panes follow the window of all', () => {
  left.setWindow({ from: 100, to: 300 }, 'jump');
  expect(right.window).toEqual({ from: 100, to: 300 });
  expect(navigation.window).toEqual({ from: 100, to: 300 });
  right.fit();
  expect(left.window).toEqual({ from: 0, to: LENGTH });
});

it('a locked pane has a window of its own until it is unlocked', () => {
  right.lock();
  right.zoomTo(500, 600);
  expect([right.isLocked, right.window]).toEqual([true, { from: 500, to: 600 }]);
  expect(left.window).toEqual({ from: 0, to: LENGTH });
  left.zoomTo(10, 50);
  expect(right.window).toEqual({ from: 500, to: 600 });
  right.unlock();
  expect([right.isLocked, right.window]).toEqual([false, { from: 10, to: 50 }]);
});

it('what is selected is the same in all panes whose rows have the same numbers', async () => {
  right.lock();
  right.select({ pick: '7', nodes: [3] });
  expect(left.selection.nodes).toEqual([3]);
  await right.setLens(GROUPED);
  expect(navigation.lens).not.toEqual(GROUPED);
  expect(right.selection.nodes).toEqual([]);
  right.select({ nodes: [9], range: { from: 1, to: 2 } });
  expect(left.selection).toMatchObject({ nodes: [3], range: { from: 1, to: 2 } });
});

it('another window folds what was unfolded', () => {
  const unfolded = [{ title: 'phase 1', part: {}, phases: null, communities: null }];
  right.setOptions({ unfolded });
  left.setOptions({ unfolded });
  right.lock();
  right.zoomTo(500, 600);
  expect(right.options.unfolded).toEqual([]);
  expect(left.options.unfolded).toEqual(unfolded);
  left.zoomTo(10, 50);
  expect(left.options.unfolded).toEqual([]);
});

it('panes change places with all that they show', () => {
  right.setView('matrix');
  right.lock();
  workspace.setShare(0.3);
  workspace.swap();
  expect([left.view, left.isLocked, right.view]).toEqual(['matrix', true, 'timeline']);
  expect(workspace.share).toBeCloseTo(0.7);
  workspace.close(left);
  expect(workspace.panes).toEqual([left]);
  expect([left.view, left.isLocked]).toEqual(['timeline', false]);
});
