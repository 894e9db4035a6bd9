import { describe, expect, it } from 'vitest';
import type { Lens } from '../api/types';
import {
  addGroup,
  addGroups,
  CLEAR_LENS,
  containerReference,
  freshGroupName,
  hide,
  isClear,
  literalPattern,
  moveBefore,
  parentPath,
  removeGroup,
  show,
  showAll,
  showOnly,
  subtreeReference,
  ungroup,
  valueReference,
  withAppearance,
  withMinDuration,
  withoutPattern,
  withReuse,
  withTraceColors,
} from './lens';

describe('filters', () => {
  it('hide and show by name', () => {
    const hidden = hide(CLEAR_LENS, 'values', ['Idle', 'Wait']);
    expect(hidden).toEqual({ version: 1, select: { values: { hide: ['Idle', 'Wait'] } } });
    expect(hide(hidden, 'values', ['Idle'])).toEqual(hidden);
    expect(show(hidden, 'values', ['Idle'])).toEqual({
      version: 1,
      select: { values: { hide: ['Wait'] } },
    });
    expect(isClear(show(hidden, 'values', ['Idle', 'Wait']))).toBe(true);
  });

  it('work on the list of what alone is seen', () => {
    const only = showOnly(hide(CLEAR_LENS, 'values', ['Idle']), 'values', ['Run', 'Wait']);
    expect(only.select?.values).toEqual({ only: ['Run', 'Wait'] });
    expect(hide(only, 'values', ['Wait']).select?.values).toEqual({ only: ['Run'] });
    expect(hide(hide(only, 'values', ['Wait']), 'values', ['Run']).select?.values).toEqual({
      only: [],
    });
    expect(show(only, 'values', ['Idle']).select?.values).toEqual({
      only: ['Run', 'Wait', 'Idle'],
    });
    expect(isClear(showAll(only, 'values'))).toBe(true);
  });

  it('lose a pattern, and with the last one the list', () => {
    const only = showOnly(CLEAR_LENS, 'containers', ['a', 'b']);
    expect(withoutPattern(only, 'containers', 'only', 'a').select?.containers).toEqual({
      only: ['b'],
    });
    expect(
      isClear(
        withoutPattern(withoutPattern(only, 'containers', 'only', 'a'), 'containers', 'only', 'b'),
      ),
    ).toBe(true);
  });

  it('keep the other filters', () => {
    const lens: Lens = { version: 1, select: { types: { only: ['STATE'] }, min_duration: '2us' } };
    expect(hide(lens, 'values', ['Idle']).select).toEqual({
      types: { only: ['STATE'] },
      min_duration: '2us',
      values: { hide: ['Idle'] },
    });
    expect(withMinDuration(lens, ' ').select).toEqual({ types: { only: ['STATE'] } });
    expect(withMinDuration(CLEAR_LENS, ' 5 ms ').select).toEqual({ min_duration: '5 ms' });
  });
});

describe('groups', () => {
  it('come and go', () => {
    const first = addGroup(CLEAR_LENS, { containers: { name: 'Group 1', of: ['a'] } });
    expect(freshGroupName(CLEAR_LENS)).toBe('Group 1');
    expect(freshGroupName(first)).toBe('Group 2');
    const both = addGroup(first, { level: 'machine' });
    expect(removeGroup(both, 0).group).toEqual([{ level: 'machine' }]);
    expect(ungroup(both, 'Group 1').group).toEqual([{ level: 'machine' }]);
    expect(isClear(removeGroup(first, 0))).toBe(true);
  });
});

describe('rows', () => {
  it('move among their siblings', () => {
    const siblings = ['/a', '/b', '/c', '/d'];
    const moved = moveBefore(CLEAR_LENS, siblings, '/d', '/b');
    expect(moved.order).toEqual({ by: 'creation', first: ['/a', '/d', '/b', '/c'] });
    expect(moveBefore(CLEAR_LENS, siblings, '/a', null).order?.first).toEqual([
      '/b',
      '/c',
      '/d',
      '/a',
    ]);
    expect(moveBefore(CLEAR_LENS, siblings, '/a', '/x')).toBe(CLEAR_LENS);
  });

  it('that were moved elsewhere stay moved', () => {
    const before = moveBefore(CLEAR_LENS, ['/x/1', '/x/2'], '/x/2', '/x/1');
    const after = moveBefore(before, ['/y/1', '/y/2'], '/y/2', '/y/1');
    expect(after.order?.first).toEqual(['/x/2', '/x/1', '/y/2', '/y/1']);
  });

  it('are shared by type', () => {
    const shared = withReuse(CLEAR_LENS, 'task', true);
    expect(shared.reuse_rows).toEqual(['task']);
    expect(withReuse(shared, 'task', true)).toEqual(shared);
    expect(isClear(withReuse(shared, 'task', false))).toBe(true);
  });
});

describe('names in a lens', () => {
  it('say the type of a value only where two types have it', () => {
    const all = [
      { type: 1, name: 'Idle' },
      { type: 2, name: 'Idle' },
      { type: 1, name: 'Run' },
    ];
    const typeName = (type: number) => ['', 'State', 'Power'][type] ?? '';
    expect(all.map((value) => valueReference(value, all, typeName))).toEqual([
      'State:Idle',
      'Power:Idle',
      'Run',
    ]);
  });

  it('take the characters of patterns literally', () => {
    expect(containerReference('/a*b/x[0]?')).toBe('/a\\*b/x\\[0\\]\\?');
    expect(containerReference('/re:x/re:')).toBe('/\\re:x/\\re:');
    expect(subtreeReference('/node1')).toBe('/node1/**');
    expect(subtreeReference('/')).toBe('/**');
  });

  it('mean exactly a text', () => {
    expect(literalPattern('a*b[0]\\')).toBe('a\\*b\\[0\\]\\\\');
    expect(literalPattern('re:x')).toBe('\\re:x');
  });

  it('have a parent', () => {
    expect(parentPath('/a/b')).toBe('/a');
    expect(parentPath('/a')).toBe('/');
    expect(parentPath('/disk/a\\/b')).toBe('/disk');
  });

  it('say whether the colours of the trace are used', () => {
    const red = withAppearance(CLEAR_LENS, 'values', 'Run', { color: '#ff0000' });
    expect(withTraceColors(red, 'always').appearance).toEqual({
      values: { Run: { color: '#ff0000' } },
      trace_colors: 'always',
    });
  });

  it('give a look without taking the other looks', () => {
    const red = withAppearance(CLEAR_LENS, 'values', 'Run', { color: '#ff0000' });
    expect(withAppearance(red, 'values', 'Run', { shape: 'line' }).appearance).toEqual({
      values: { Run: { color: '#ff0000', shape: 'line' } },
    });
  });
});

it('sets of paths become groups with names of their own', () => {
  const lens = addGroup(CLEAR_LENS, { containers: { name: 'Community 1', of: ['/x'] } });
  const grouped = addGroups(lens, 'Community', [['/a', '/b[0]'], ['/alone'], ['/c', '/d']]);
  expect(grouped.group?.slice(1)).toEqual([
    { containers: { name: 'Community 2', of: ['/a', '/b\\[0\\]'] } },
    { containers: { name: 'Community 3', of: ['/c', '/d'] } },
  ]);
  expect(addGroups(lens, 'Community', [['/alone']])).toBe(lens);
});
