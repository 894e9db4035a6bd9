// What the areas of a treemap can be: the words for it, and ratios to begin with.

/** What a cell can have of the containers in it, by the word of the command line. */
export const OPERATORS = {
  sum: 'sum',
  mean: 'mean',
  median: 'median',
  min: 'smallest',
  max: 'largest',
} as const;

/** The formula to begin with: how uneven the containers are, in percent. */
export const USUAL_FORMULA = '(max - mean) / mean * 100';

export function isOperator(agg: string): agg is keyof typeof OPERATORS {
  return Object.hasOwn(OPERATORS, agg);
}

const KINDS = ['state', 'link', 'event', 'variable'];

/** A name as ratios spell it: quoted if it would be read as something else. */
export function nameInRatio(name: string): string {
  const isPlain = /^[^\s:/"\\]+$/.test(name) && !KINDS.includes(name);
  return isPlain ? name : `"${name.replaceAll(/["\\]/g, '\\$&')}"`;
}

const MOST_VALUES = 20;

/** Ratios that make sense for most traces: the share of each state, then more of links and states. */
export function usualRatios(states: readonly string[], hasLinks: boolean): readonly string[] {
  const shares = states.slice(0, MOST_VALUES).map((name) => `time:${nameInRatio(name)} / time`);
  return [
    ...shares,
    'time / count',
    ...(hasLinks ? ['size:link / count:link', 'count:link / peers:link', 'time / count:link'] : []),
  ];
}
