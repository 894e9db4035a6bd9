import { expect, it } from 'vitest';
import type { OptionInfo } from '../../api/types';
import { chosenOf, controlled, hasLevels, isOn, titleOf, withOption } from './options';

const option = (name: string, kind: OptionInfo['kind'], usual: unknown): OptionInfo => ({
  name,
  flag: name,
  help: '',
  kind,
  default: usual,
});
const slices = option('slices', { is: 'number' }, 200);
const events = option('events', { is: 'switch' }, true);

it('keeps only what differs from what holds anyway', () => {
  const chosen = withOption({}, slices, 50);
  expect(chosen).toEqual({ slices: 50 });
  expect(chosenOf(chosen, slices)).toBe(50);
  expect(chosenOf({}, slices)).toBe(200);
  expect(withOption(chosen, slices, 200)).toEqual({});
  expect(withOption(chosen, slices, null)).toEqual({});
});

it('switches what is on by default off', () => {
  expect(isOn({}, events)).toBe(true);
  expect(isOn(withOption({}, events, false), events)).toBe(false);
});

it('has controls for what can be chosen alone', () => {
  const level = option('level', { is: 'text' }, null);
  const texts = option('open', { is: 'texts' }, []);
  expect(controlled([slices, level, texts, events])).toEqual([slices, events]);
  expect(hasLevels([slices])).toBe(false);
  expect(hasLevels([slices, option('depth', { is: 'number' }, null)])).toBe(true);
  expect(titleOf(option('duration_scale', { is: 'number' }, 1))).toBe('duration scale');
});
