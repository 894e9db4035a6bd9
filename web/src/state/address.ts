// The fragment of the address: the whole view in a text that a person can send. Every part may be
// left out, and a part that cannot be read counts as left out: an old or cut address still opens.
// What could not be read is told by its name: see `unreadable.ts`.

import { readArrangement, writeArrangement } from './arrangement';
import { CAUSE_MARKS, type CauseMark } from './causes';
import {
  type LinksMode,
  type Mark,
  MOST_STATE_DEPTHS,
  PANEL_NAMES,
  type PanelName,
  type Panels,
  ROW_HEIGHT,
  type RowHeight,
  type Selection,
  type View,
  type Window,
} from './types';

/** A view whose lens is still a text: see `lens_text.ts`. */
export type AddressedView = Omit<View, 'lens'> & { readonly lensText: string };

export const USUAL_PANELS: Panels = { inspector: true, bottom: true, tab: 'legend' };

export const LINKS: readonly LinksMode[] = ['none', 'selection', 'all'];

export function writeAddress(view: AddressedView): string {
  const parts = new URLSearchParams();
  const put = (name: string, text: string) => {
    if (text !== '') parts.set(name, text);
  };
  put('trace', view.trace);
  put('window', writeWindow(view.window));
  put('lens', view.lensText);
  put('pick', view.selection.pick ?? '');
  put('at', writeNumber(view.selection.at));
  put('span', writeNumber(view.selection.span));
  put('nodes', view.selection.nodes.join('.'));
  put('range', writeWindow(view.selection.range));
  put('value', writeNumber(view.selection.value));
  put('lasting', writeWindow(view.selection.lasting));
  put('depth', writeNumber(view.depth));
  put('open', view.open.join('.'));
  put('closed', view.closed.join('.'));
  put('pins', view.pins.join('.'));
  put('rows', String(view.rowHeight));
  put('y', view.scrollY === 0 ? '' : String(Math.round(view.scrollY)));
  put('links', view.links);
  put('causes', view.causes.join('.'));
  put('deep', writeNumber(view.stateDepths));
  put('overlay', view.overlay ? '1' : '');
  put('panels', writePanels(view.panels));
  put('views', writeArrangement(view.workspace));
  put('beside', view.beside);
  put('marks', view.marks.length === 0 ? '' : JSON.stringify(view.marks.map(writeMark)));
  return parts.toString();
}

/** What an address says; `undefined` where it says nothing. */
export type AddressParts = { readonly [Name in keyof AddressedView]?: AddressedView[Name] };

export function readAddress(fragment: string): AddressParts {
  const parts = new URLSearchParams(fragment.replace(/^#/, ''));
  const text = (name: string) => parts.get(name) ?? '';
  const rowHeight = readRowHeight(text('rows'));
  const links = LINKS.find((mode) => mode === text('links'));
  const panels = readPanels(text('panels'));
  const workspace = readArrangement(text('views'));
  return {
    ...(text('trace') && { trace: text('trace') }),
    window: readWindow(text('window')),
    lensText: text('lens'),
    selection: readSelection(text),
    depth: readWhole(text('depth')),
    open: readWholes(text('open')),
    closed: readWholes(text('closed')),
    pins: readWholes(text('pins')),
    ...(rowHeight && { rowHeight }),
    scrollY: readWhole(text('y')) ?? 0,
    ...(links && { links }),
    causes: readCauses(text('causes')),
    stateDepths: readDepths(text('deep')),
    overlay: text('overlay') === '1',
    ...(panels && { panels }),
    ...(workspace && { workspace }),
    beside: /^[2-8]\d/.test(text('beside')) ? text('beside') : '',
    ...(parts.has('marks') && { marks: readMarks(text('marks')) }),
  };
}

export function readCauses(text: string): readonly CauseMark[] {
  const words = text.split('.');
  return CAUSE_MARKS.filter((mark) => words.includes(mark));
}

export function readDepths(text: string): number | null {
  const depths = readWhole(text);
  return depths !== null && depths >= 1 && depths <= MOST_STATE_DEPTHS ? depths : null;
}

function readSelection(text: (name: string) => string): Selection {
  return {
    pick: /^\d{1,20}$/.test(text('pick')) ? text('pick') : null,
    at: readWhole(text('at')),
    span: readWhole(text('span')),
    nodes: readWholes(text('nodes')),
    range: readWindow(text('range')),
    value: readWhole(text('value')),
    lasting: readWindow(text('lasting')),
  };
}

function writeNumber(number: number | null): string {
  return number === null ? '' : String(Math.round(number));
}

function writeWindow(window: Window | null): string {
  return window === null ? '' : `${Math.round(window.from)}-${Math.round(window.to)}`;
}

export function readWindow(text: string): Window | null {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  const window = { from: Number(from), to: Number(to) };
  return Number.isSafeInteger(window.to) && window.from < window.to ? window : null;
}

export function readWhole(text: string): number | null {
  const number = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(number) ? number : null;
}

function readWholes(text: string): readonly number[] {
  return text
    .split('.')
    .map(readWhole)
    .filter((number) => number !== null);
}

export function readRowHeight(text: string): RowHeight | null {
  if (text === 'fit') return 'fit';
  const height = readWhole(text);
  return height !== null && height >= ROW_HEIGHT.least && height <= ROW_HEIGHT.most ? height : null;
}

export function writePanels(panels: Panels): string {
  return [panels.inspector ? 'inspector' : '', panels.bottom ? 'bottom' : '', panels.tab]
    .filter((word) => word !== '')
    .join('.');
}

export function readPanels(text: string): Panels | null {
  const words = text.split('.');
  const tab = PANEL_NAMES.find((name: PanelName) => words.includes(name));
  if (tab === undefined) return null;
  return { inspector: words.includes('inspector'), bottom: words.includes('bottom'), tab };
}

function writeMark(mark: Mark): readonly (string | number)[] {
  const note = mark.end === undefined ? [] : [mark.end, mark.row ?? ''];
  return [mark.time, mark.name, mark.note, mark.color, ...note];
}

export function readMarks(text: string): readonly Mark[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map(readMark).filter((mark) => mark !== null) : [];
  } catch {
    return [];
  }
}

function readMark(item: unknown): Mark | null {
  if (!Array.isArray(item)) return null;
  const [time, name, note, color, end, row]: unknown[] = item;
  const whole = typeof time === 'number' && Number.isSafeInteger(time) && time >= 0;
  if (!whole || typeof name !== 'string' || typeof note !== 'string') return null;
  return {
    time,
    name,
    note,
    color: isColor(color) ? color : MARK_COLORS[0],
    ...(typeof end === 'number' && end > time && { end }),
    ...(typeof row === 'string' && row !== '' && { row }),
  };
}

function isColor(color: unknown): color is string {
  return typeof color === 'string' && /^#[0-9a-f]{6}$/i.test(color);
}

/** Colours of marks, taken in turn. Dark enough for text of the page to stand beside them. */
export const MARK_COLORS = ['#cc3366', '#0072b2', '#8c564b', '#6a3d9a', '#1b7a4d'] as const;
