// Values by the names that answers have.

import type { TraceInfo, ValueInfo } from '../api/types';

export function valueNamed(
  trace: TraceInfo | null,
  type: string,
  name: string,
): ValueInfo | undefined {
  const typeIds = trace?.types.filter((known) => known.name === type).map((known) => known.id);
  return trace?.values.find((value) => value.name === name && typeIds?.includes(value.type));
}

/** The colour of a value, else that of its type. */
export function colorOfValue(trace: TraceInfo | null, type: string, name: string): string | null {
  const named = valueNamed(trace, type, name)?.color;
  return named ?? trace?.types.find((known) => known.name === type)?.color ?? null;
}
