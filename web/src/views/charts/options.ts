// What was chosen of the options that the server describes.

import type { OptionInfo } from '../../api/types';
import type { ChosenOptions } from '../../state/arrangement';

/** Kinds for which there is a control. */
const CONTROLLED: readonly string[] = ['switch', 'choice', 'number', 'text'];

/** Options for which there is a control of their own. */
const LEVELS: readonly string[] = ['level', 'depth'];

/** The options that have a control. */
export function controlled(options: readonly OptionInfo[]): readonly OptionInfo[] {
  return options.filter(({ name, kind }) => !LEVELS.includes(name) && CONTROLLED.includes(kind.is));
}

export function hasLevels(options: readonly OptionInfo[]): boolean {
  return options.some(({ name }) => name === 'depth');
}

export function chosenOf(chosen: ChosenOptions, option: OptionInfo): unknown {
  return chosen[option.name] ?? option.default;
}

/** Is the flag of a switch given? One that is on by default is switched off by its flag. */
export function isOn(chosen: ChosenOptions, option: OptionInfo): boolean {
  return chosenOf(chosen, option) === true;
}

export function withOption(
  chosen: ChosenOptions,
  option: OptionInfo,
  value: unknown,
): ChosenOptions {
  const { [option.name]: _, ...others } = chosen;
  return value === null || value === option.default ? others : { ...others, [option.name]: value };
}

export function titleOf({ name }: OptionInfo): string {
  return name.replaceAll('_', ' ');
}
