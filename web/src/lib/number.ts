// Numbers as people read them; the same rules as in the figures and on the terminal.

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `1,234,567`. */
export function grouped(number: number | bigint): string {
  return GROUPED.format(number);
}

/** `1 row`, `2 rows`. */
export function countOf(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** A size in the largest unit that leaves a number of at least 1. */
export function byteSize(bytes: number): string {
  const units: readonly [number, string][] = [
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
  ];
  const fitting = units.find(([size]) => bytes >= size);
  if (fitting === undefined) return `${grouped(bytes)} bytes`;
  return `${(bytes / fitting[0]).toFixed(1)} ${fitting[1]}`;
}

/** A share as a percentage with one decimal. Halves are rounded away from 0, as by the server. */
export function percent(share: number): string {
  const tenths = Math.round(Math.abs(share) * 1000);
  return `${share < 0 && tenths > 0 ? '-' : ''}${(tenths / 10).toFixed(1)} %`;
}

/** A number with about four digits that mean something. */
export function rounded(number: number): string {
  const magnitude = Math.abs(number);
  if (magnitude === 0) return '0';
  if (magnitude >= 1000 && magnitude < 1e15) {
    const tenths = Math.round(magnitude * 10);
    return `${number < 0 ? '-' : ''}${grouped(Math.floor(tenths / 10))}.${tenths % 10}`;
  }
  if (magnitude >= 1 && magnitude < 1e15) return number.toFixed(3);
  if (magnitude >= 1e-4 && magnitude < 1) {
    const decimals = clamp(3 - Math.floor(Math.log10(magnitude)), 0, 9);
    return number.toFixed(decimals);
  }
  return number.toExponential(3).replace('e+', 'e');
}

export function clamp(number: number, least: number, most: number): number {
  return Math.min(Math.max(number, least), most);
}
