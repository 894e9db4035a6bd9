// Round numbers along an axis.

export interface AxisTicks {
  /** In rising order. */
  readonly at: readonly number[];
  readonly step: number;
  /** How many decimals tell them apart. */
  readonly decimals: number;
}

/** At most `most` multiples of 1, 2 or 5 times a power of ten. */
export function axisTicks(from: number, to: number, most: number): AxisTicks {
  const span = to - from;
  if (!(span > 0 && Number.isFinite(span)) || most < 1) {
    return { at: Number.isFinite(from) && most >= 1 ? [from] : [], step: 0, decimals: 3 };
  }
  let step = roundStep(span / most);
  let at = multiples(from, to, step);
  if (at.length > most) {
    step = roundStep(step * 1.01);
    at = multiples(from, to, step);
  }
  return { at, step, decimals: decimalsOf(step) };
}

/** The smallest of 1, 2, 5 times a power of ten that is at least `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  // A hair below: 0.1 + 0.2 must not make a step of 0.3 into one of 0.5.
  const factor = [1, 2, 5].find((factor) => factor * power >= least * (1 - 1e-9));
  return (factor ?? 10) * power;
}

/** Computed from their number and never added up: 0.3 is 3 / 10, not three times 0.1. */
function multiples(from: number, to: number, step: number): number[] {
  const slack = 1e-6;
  const first = Math.ceil(from / step - slack);
  const last = Math.floor(to / step + slack);
  const inverse = Math.round(1 / step);
  const at = (number: number) => (step < 1 ? number / inverse : number * step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => at(first + place));
}

export function decimalsOf(step: number): number {
  return Math.min(Math.max(-Math.floor(Math.log10(step) + 1e-9), 0), 18);
}
