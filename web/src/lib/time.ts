// Times as people read them. Ticks are counted from the begin of the trace and stay exact: what
// is written of them is computed from whole numbers.

import { axisTicks, decimalsOf } from './axis';
import { rounded } from './number';

/** How the times of a trace are counted and named. */
export interface TimeBase {
  /** Ticks of the begin of the trace, counted from its own zero. */
  readonly begin: bigint;
  readonly unit: string;
  readonly ticksPerUnit: bigint;
}

/** The units of time that can stand for each other, with what a second has of them. */
const SECONDS: readonly (readonly [string, number])[] = [
  ['s', 1],
  ['ms', 1e3],
  ['µs', 1e6],
  ['ns', 1e9],
];

/** An axis counts from its beginning where its numbers would have more digits than this. */
const MOST_DIGITS = 7;

export function timeBase(info: {
  readonly begin_ticks: string;
  readonly unit: { readonly name: string; readonly ticks_per_unit: number | string };
}): TimeBase {
  return {
    begin: BigInt(info.begin_ticks),
    unit: info.unit.name,
    ticksPerUnit: BigInt(info.unit.ticks_per_unit),
  };
}

/** A time of the trace in its unit, with all its digits: `1.200000000`. */
export function exactTime(base: TimeBase, ticks: number | bigint): string {
  return exactUnits(base.begin + wholeTicks(ticks), base.ticksPerUnit);
}

/** A length of time in the unit of the trace, with all its digits. */
export function exactLength(base: TimeBase, ticks: number | bigint): string {
  return exactUnits(wholeTicks(ticks), base.ticksPerUnit);
}

function wholeTicks(ticks: number | bigint): bigint {
  return typeof ticks === 'bigint' ? ticks : BigInt(Math.round(ticks));
}

function exactUnits(ticks: bigint, ticksPerUnit: bigint): string {
  const decimals = decimalsOfRate(ticksPerUnit);
  if (decimals === null) return (Number(ticks) / Number(ticksPerUnit)).toFixed(9);
  if (decimals === 0) return ticks.toString();
  const magnitude = ticks < 0n ? -ticks : ticks;
  const fraction = (magnitude % ticksPerUnit).toString().padStart(decimals, '0');
  return `${ticks < 0n ? '-' : ''}${magnitude / ticksPerUnit}.${fraction}`;
}

/** The number of decimals of one tick, when the tick rate is a power of ten. */
function decimalsOfRate(ticksPerUnit: bigint): number | null {
  const text = ticksPerUnit.toString();
  return /^10*$/.test(text) ? text.length - 1 : null;
}

/** The ticks after the begin of the trace that a text in its unit means, or `null`. */
export function parseTime(base: TimeBase, text: string): number | null {
  const ticks = parseUnits(base, text);
  return ticks === null ? null : Number(ticks - base.begin);
}

function parseUnits(base: TimeBase, text: string): bigint | null {
  const match = /^\s*(-?)(\d+)(?:\.(\d+))?\s*$/.exec(text.replaceAll(',', ''));
  if (match === null) return null;
  const [, sign, whole, fraction = ''] = match;
  const scaled = BigInt(whole + fraction) * base.ticksPerUnit;
  const rate = 10n ** BigInt(fraction.length);
  const ticks = (scaled + rate / 2n) / rate;
  return sign === '-' ? -ticks : ticks;
}

/** A length of time with its unit: `3.112 ms`. */
export function duration(base: TimeBase, ticks: number): string {
  const [ticksPerUnit, unit] = readableUnit(base, Math.abs(ticks));
  return `${rounded(ticks / ticksPerUnit)} ${unit}`;
}

/** The same with a sign always: `+3.112 ms`. */
export function difference(base: TimeBase, ticks: number): string {
  return `${ticks >= 0 ? '+' : '−'}${duration(base, Math.abs(ticks))}`;
}

/** A time with as many digits as `resolution` ticks make meaningful: `1.2340 s`. */
export function timeText(base: TimeBase, ticks: number, resolution: number): string {
  const rate = Number(base.ticksPerUnit);
  const decimals = Math.min(decimalsOf(Math.max(resolution, 1) / rate), decimalsOf(1 / rate));
  return `${roundedUnits(base, ticks, decimals)} ${base.unit}`;
}

/** Rounds the exact text, so that large times keep their last digits. */
function roundedUnits(base: TimeBase, ticks: number, decimals: number): string {
  if (decimalsOfRate(base.ticksPerUnit) === null) {
    return (Number(base.begin + wholeTicks(ticks)) / Number(base.ticksPerUnit)).toFixed(decimals);
  }
  const scale = 10n ** BigInt(decimals);
  const absolute = base.begin + wholeTicks(ticks);
  const magnitude = absolute < 0n ? -absolute : absolute;
  const units = (magnitude * scale * 2n + base.ticksPerUnit) / (2n * base.ticksPerUnit);
  return exactUnits(absolute < 0n ? -units : units, scale);
}

/** The unit in which a time is a number from 1 to 1000, and how many ticks it has. */
export function readableUnit(base: TimeBase, ticks: number): [number, string] {
  const own = Number(base.ticksPerUnit);
  const name = base.unit === 'us' ? 'µs' : base.unit;
  const perSecond = SECONDS.find(([unit]) => unit === name)?.[1];
  if (perSecond === undefined) return [own, base.unit];
  const seconds = ticks / own / perSecond;
  const none = ticks === 0 ? SECONDS[0] : SECONDS[SECONDS.length - 1];
  const [unit, count] = SECONDS.find(([, count]) => seconds * count >= 1) ?? none;
  return [(own * perSecond) / count, unit];
}

export interface RulerTick {
  /** Ticks after the begin of the trace. */
  readonly at: number;
  readonly text: string;
}

export interface Ruler {
  /** `s`, or `µs after 1.200000000 s`. */
  readonly unit: string;
  readonly ticks: readonly RulerTick[];
  /** How far ticks are apart, in ticks of time. */
  readonly step: number;
}

/** At most `most` round times in a window, in a unit and from an origin that need few digits. */
export function ruler(base: TimeBase, from: number, to: number, most: number): Ruler {
  const span = Math.max(to - from, 1);
  const [begin, end] = [Number(base.begin) + from, Number(base.begin) + to];
  const farthest = Math.max(Math.abs(begin), Math.abs(end));
  const countsFromBegin = Math.log10(farthest / span) > MOST_DIGITS - 3;
  if (countsFromBegin) return rulerFrom(base, from, to, most);
  const [perUnit, unit] = readableUnit(base, farthest);
  const round = axisTicks(begin / perUnit, end / perUnit, most);
  const tick = (value: number) => ({
    at: value * perUnit - Number(base.begin),
    text: value.toFixed(round.decimals),
  });
  return { unit, ticks: round.at.map(tick), step: round.step * perUnit };
}

/** Counts from a round time at or before the window, so that it stays while the window moves. */
function rulerFrom(base: TimeBase, from: number, to: number, most: number): Ruler {
  const span = Math.max(to - from, 1);
  const raster = 10 ** Math.ceil(Math.log10(span));
  const begin = base.begin + BigInt(Math.floor(from));
  const rasterTicks = BigInt(raster);
  const remainder = ((begin % rasterTicks) + rasterTicks) % rasterTicks;
  const origin = Math.floor(from) - Number(remainder);
  const [perUnit, unit] = readableUnit(base, span);
  const round = axisTicks((from - origin) / perUnit, (to - origin) / perUnit, most);
  const tick = (value: number) => ({
    at: origin + value * perUnit,
    text: `+${value.toFixed(round.decimals)}`,
  });
  const place = `${withoutZeros(exactTime(base, origin))} ${base.unit}`;
  return { unit: `${unit} after ${place}`, ticks: round.at.map(tick), step: round.step * perUnit };
}

/** The origin is round: decimals that are zero say nothing. */
function withoutZeros(time: string): string {
  return time.includes('.') ? time.replace(/\.?0+$/, '') : time;
}
