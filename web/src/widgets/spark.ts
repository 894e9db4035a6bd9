// The path of a small drawing of amounts: a step for each, as high as its part of the largest.

export function sparkPath(amounts: readonly number[]): string {
  const most = Math.max(0, ...amounts);
  if (most === 0) return '';
  const steps = amounts.map((amount, at) => {
    const top = Number((1 - amount / most).toFixed(3));
    return `V${top}H${at + 1}`;
  });
  return `M0 1${steps.join('')}V1Z`;
}
