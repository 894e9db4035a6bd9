// What the inspector shows as plain text, one field a line, for copying.

import type { Inspection } from '../../api/types';
import { exactLength, exactTime, type TimeBase } from '../../lib/time';

export function inspectionText(base: TimeBase, about: Inspection): string {
  const lines: (readonly [string, string | null | undefined])[] = [
    [about.kind, about.title],
    ['path', about.path ?? about.container],
    ['to', about.destination_path],
    ['start', about.start === null ? null : exactTime(base, about.start)],
    ['end', about.end === null ? null : exactTime(base, about.end)],
    ['duration', lengthText(base, about)],
    ...about.fields.map((field) => [field.name, field.text] as const),
    ['route', about.route?.text],
    ['source', about.source ? `${about.source.file}:${about.source.line}` : null],
  ];
  const told = lines.filter(([, text]) => text !== null && text !== undefined);
  return told.map(([name, text]) => `${name}\t${text}`).join('\n');
}

function lengthText(base: TimeBase, about: Inspection): string | null {
  const isTold = about.fields.some((field) => field.name === 'duration');
  if (isTold || about.start === null || about.end === null) return null;
  return exactLength(base, about.end - about.start);
}
