// Times and lengths of time as people type them: with a unit, or in the unit of the trace.

import { parseTime, type TimeBase } from './time';

const PER_SECOND: Readonly<Record<string, number>> = { s: 1, ms: 1e3, us: 1e6, µs: 1e6, ns: 1e9 };
const TYPED = /^\s*(-?[\d.,]+(?:e[-+]?\d+)?)\s*([a-zµ]*)\s*$/i;

/** The ticks of `2 ms`, `1.5` or `3e-6 s`; `null` for what is no length of time. */
export function parseLength(base: TimeBase, text: string): number | null {
  const [, digits = '', unit = ''] = TYPED.exec(text) ?? [];
  const amount = Number(digits.replaceAll(',', ''));
  const perUnit = ticksPer(base, unit);
  if (digits === '' || !Number.isFinite(amount) || perUnit === null) return null;
  return Math.round(amount * perUnit);
}

/** The ticks after the begin of the trace that a time means; exact in the unit of the trace. */
export function parseTypedTime(base: TimeBase, text: string): number | null {
  const own = text.trim().endsWith(base.unit) ? text.trim().slice(0, -base.unit.length) : text;
  const exact = parseTime(base, own);
  if (exact !== null) return exact;
  const ticks = parseLength(base, text);
  return ticks === null ? null : ticks - Number(base.begin);
}

function ticksPer(base: TimeBase, unit: string): number | null {
  const own = Number(base.ticksPerUnit);
  if (unit === '' || unit === base.unit) return own;
  const [typed, ownRate] = [PER_SECOND[unit], PER_SECOND[base.unit]];
  return typed === undefined || ownRate === undefined ? null : (own * ownRate) / typed;
}
