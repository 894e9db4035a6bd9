// Which parts of an address could not be read. Most can: this is loaded when there is an address to look at.

import {
  LINKS,
  readCauses,
  readDepths,
  readMarks,
  readPanels,
  readRowHeight,
  readWhole,
  readWindow,
} from './address';
import { readArrangement, unknownFields } from './arrangement';
import { readBeside } from './beside';

/** By part: is a text one that can be read? */
const READABLE: Readonly<Record<string, (text: string) => boolean>> = {
  trace: () => true,
  window: (text) => readWindow(text) !== null,
  // Those who unpack and check it say what is wrong.
  lens: () => true,
  pick: (text) => /^\d{1,20}$/.test(text),
  at: isWhole,
  span: isWhole,
  nodes: areWholes,
  range: (text) => readWindow(text) !== null,
  value: isWhole,
  lasting: (text) => readWindow(text) !== null,
  depth: isWhole,
  open: areWholes,
  closed: areWholes,
  pins: areWholes,
  rows: (text) => readRowHeight(text) !== null,
  y: isWhole,
  links: (text) => LINKS.some((mode) => mode === text),
  causes: (text) => readCauses(text).length === text.split('.').length,
  deep: (text) => readDepths(text) !== null,
  overlay: (text) => text === '1',
  panels: (text) => readPanels(text) !== null,
  views: (text) => readArrangement(text) !== null,
  beside: (text) => readBeside(text) !== null,
  marks: (text) => text === '[]' || readMarks(text).length > 0,
};

/** The names of the parts of an address that cannot be read, or that nobody knows. */
export function unreadableParts(fragment: string): readonly string[] {
  const parts = [...new URLSearchParams(fragment.replace(/^#/, ''))];
  const wrong = parts.filter(([name, text]) => text !== '' && !(READABLE[name]?.(text) ?? false));
  const views = parts.find(([name]) => name === 'views')?.[1] ?? '';
  return [...wrong.map(([name]) => name), ...unknownFields(views).map((name) => `views.${name}`)];
}

function isWhole(text: string): boolean {
  return readWhole(text) !== null;
}

function areWholes(text: string): boolean {
  return text.split('.').every(isWhole);
}
