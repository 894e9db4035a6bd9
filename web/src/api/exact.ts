// JSON with whole numbers that keep all their digits.

import type { Exact } from './types';

/** Texts, and whole numbers with enough digits for a script to round them. */
const TEXT_OR_LONG_INTEGER = /"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g;
const LONG_INTEGER = /\d{16}/;

/** Parses JSON. Whole numbers that do not fit a number of a script become texts. */
export function parseExact(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  return JSON.parse(text.replace(TEXT_OR_LONG_INTEGER, (match) => kept(match)));
}

function kept(match: string): string {
  const isSafe = match.startsWith('"') || Number.isSafeInteger(Number(match));
  return isSafe ? match : `"${match}"`;
}

export function exactInteger(value: Exact): bigint {
  return BigInt(value);
}
