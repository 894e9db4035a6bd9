// What the person chose: one immutable view of one trace. Every change goes through here, so that it
// can be undone and stands in the address.

import type { Lens } from '../api/types';
import { clamp } from '../lib/number';
import { within } from '../lib/window';
import { scrollToRow } from './actions';
import { type AddressParts, readAddress, readPanels, writeAddress, writePanels } from './address';
import {
  type Arrangement,
  folded,
  ofAnyTrace,
  readArrangement,
  steppedTo,
  USUAL_ARRANGEMENT,
  writeArrangement,
} from './arrangement';
import { CAUSE_MARKS, type CauseMark } from './causes';
import { removeFirstPicture, usualPanels } from './first_plot';
import { type How, Steps } from './history';
import { CLEAR_LENS, isClear } from './lens';
import { mergeMarks, newMark } from './marks';
import type { Notices } from './notices.svelte';
import { ADDRESS, type Place } from './place';
import { isText, recall, remember } from './remembered';
import type { TraceSession } from './trace_session.svelte';
import {
  type LinksMode,
  type Mark,
  MOST_STATE_DEPTHS,
  NOTHING_SELECTED,
  type PanelName,
  type Panels,
  ROW_HEIGHT,
  type RowHeight,
  type Selection,
  type View,
  type Window,
} from './types';
import { NO_VIEW, sameRows, windowAround } from './view';
import type { Viewpoint } from './viewpoint';

/** Most views have no lens: what packs one is loaded when there is one. */
const LENS_TEXT = () => import('./lens_text');
const ARRANGEMENT = 'workspace';
const PANELS = 'panels';
/** What is less urgent than the first picture waits no longer than this. */
const FIRST_PICTURE_MS = 1500;
/** Names and notes are typed letter by letter; not every letter has to be saved. */
const SAVE_MARKS_MS = 500;

/** What is kept with each step. The number tells whether there is a step to go back to. */
interface Kept {
  readonly step: number;
  readonly view: View;
}

export class Navigation implements Viewpoint {
  readonly session: TraceSession;
  readonly notices: Notices;
  readonly #place: Place;

  #view = $state.raw<View>(NO_VIEW);
  readonly window: Window = $derived.by(() => {
    const { window } = this.#view;
    const { trace, whole } = this.session;
    if (window === null) return whole;
    // An address may tell of a time that the trace does not have: a picture of it never comes.
    return trace === null || window.to <= whole.to ? window : within(window, whole.to);
  });
  readonly lens: Lens = $derived(this.#view.lens);
  readonly selection: Selection = $derived(this.#view.selection);
  readonly depth: number | null = $derived(this.#view.depth);
  readonly #openNodes = $derived(this.#view.open);
  readonly #closedNodes = $derived(this.#view.closed);
  readonly open: ReadonlySet<number> = $derived(new Set(this.#openNodes));
  readonly closed: ReadonlySet<number> = $derived(new Set(this.#closedNodes));
  readonly pins: readonly number[] = $derived(this.#view.pins);
  readonly rowHeight: RowHeight = $derived(this.#view.rowHeight);
  readonly scrollY: number = $derived(this.#view.scrollY);
  readonly links: LinksMode = $derived(this.#view.links);
  readonly causes: readonly CauseMark[] = $derived(this.#view.causes);
  readonly stateDepths: number | null = $derived(this.#view.stateDepths);
  readonly overlay: boolean = $derived(this.#view.overlay);
  readonly panels: Panels = $derived(this.#view.panels);
  readonly arrangement: Arrangement = $derived(this.#view.workspace);
  readonly beside: string = $derived(this.#view.beside);
  readonly marks: readonly Mark[] = $derived(this.#view.marks);

  /** Pixels in which rows are seen; about, for scrolling one into sight. */
  plotHeight = 300;

  #step = 0;
  #writing: Promise<void> = Promise.resolve();
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #steps = new Steps({
    push: () => this.#write('pushState'),
    replace: () => this.#write('replaceState'),
  });

  constructor(session: TraceSession, notices: Notices, place: Place = ADDRESS) {
    this.session = session;
    this.notices = notices;
    this.#place = place;
  }

  /** Has the page an address that can be passed on? */
  get isAddressed(): boolean {
    return this.#place.isAddressed;
  }
  /** May other traces be opened here? */
  get opens(): boolean {
    return this.isAddressed && this.session.server?.opens === true;
  }

  get canUndo(): boolean {
    return this.#step > 0;
  }

  /** Opens the trace that the address names, or the first. */
  async start(asked?: Promise<Response>): Promise<void> {
    this.#place.onStep((kept) => this.#wentTo(kept as Kept | null));
    window.addEventListener('pagehide', () => this.#steps.settle());
    // A page that is loaded again has steps behind it.
    this.#step = (this.#place.kept as Kept | null)?.step ?? 0;
    try {
      await this.session.start(asked);
      const parts = readAddress(this.#place.fragment);
      void this.#tellUnreadable();
      const id = this.session.traceFor(parts.trace);
      if (id === null) this.session.fail('Open one, or drop a file here.');
      else await this.#openTrace(id, parts);
    } catch (error) {
      this.session.fail(error);
    }
  }

  chooseTrace(id: string): void {
    this.#steps.settle();
    void this.#openTrace(id, { beside: this.beside }, 'pushState');
  }

  get length(): number {
    return this.session.whole.to;
  }
  setWindow(window: Window, how: 'gesture' | 'jump'): void {
    this.#change({ window: within(window, this.session.whole.to) }, how);
  }
  zoomTo(from: number, to: number): void {
    this.setWindow({ from, to }, 'jump');
  }
  fit(): void {
    this.#change({ window: null }, 'jump');
  }

  select(part: Partial<Selection>): void {
    // Where the old pick was picked says nothing about the new one.
    const elsewhere = 'pick' in part ? { at: null, span: null, lasting: null } : {};
    this.#change({ selection: { ...this.selection, ...elsewhere, ...part } }, 'quiet');
  }
  selectNothing(): void {
    this.select(NOTHING_SELECTED);
  }
  /** Where nothing is selected, the inspector tells what stands out. */
  showFindings(): void {
    this.selectNothing();
    this.setPanels({ inspector: true });
  }
  /** Selects something, shows it, and shows the inspector. */
  reveal(pick: string, node: number | null, start: number, end: number): void {
    const selection = { ...NOTHING_SELECTED, pick, nodes: node === null ? [] : [node] };
    const panels = { ...this.panels, inspector: true };
    this.#change({ selection, ...this.#windowFor(start, end), panels }, 'jump');
    if (node !== null) void scrollToRow(this, node);
  }
  /** Shows a time without changing the selection. */
  showTime(start: number, end: number): void {
    this.#change(this.#windowFor(start, end), 'jump');
  }

  toggleNode(node: number, isOpen: boolean): void {
    const { open, closed } = this.#view;
    const without = (list: readonly number[]) => list.filter((other) => other !== node);
    this.#change(
      {
        open: isOpen ? [...without(open), node] : without(open),
        closed: isOpen ? without(closed) : [...without(closed), node],
      },
      'jump',
    );
  }
  /** Pins rows to the top; those that all are pinned are let go. */
  togglePins(nodes: readonly number[]): void {
    const others = this.pins.filter((node) => !nodes.includes(node));
    const areAll = others.length + nodes.length === this.pins.length;
    this.#change({ pins: areAll ? others : [...others, ...nodes] }, 'jump');
  }
  /** Collapses to a depth; exceptions are forgotten. */
  setDepth(depth: number | null): void {
    this.#change({ depth, open: [], closed: [], scrollY: 0 }, 'jump');
  }
  setRowHeight(height: RowHeight): void {
    const rowHeight =
      height === 'fit' ? height : clamp(Math.round(height), ROW_HEIGHT.least, ROW_HEIGHT.most);
    this.#change({ rowHeight }, 'gesture');
  }
  setScrollY(scrollY: number): void {
    this.#change({ scrollY: Math.max(0, scrollY) }, 'quiet');
  }
  setLinks(links: LinksMode): void {
    this.#change({ links }, 'jump');
  }
  /** Shows a mark of who waits for whom, or no longer. */
  setCause(mark: CauseMark, isShown: boolean): void {
    const causes = CAUSE_MARKS.filter((one) =>
      one === mark ? isShown : this.causes.includes(one),
    );
    this.#change({ causes }, 'jump');
  }
  setStateDepths(depths: number | null): void {
    const stateDepths = depths === null ? null : clamp(Math.round(depths), 1, MOST_STATE_DEPTHS);
    this.#change({ stateDepths }, 'jump');
  }
  setOverlay(overlay: boolean): void {
    this.#change({ overlay }, 'jump');
  }

  setPanels(part: Partial<Panels>): void {
    const panels = { ...this.panels, ...part };
    this.#change({ panels }, 'quiet');
    remember(PANELS, writePanels(panels));
  }
  showPanel(tab: PanelName): void {
    this.setPanels({ tab, bottom: true });
  }

  setArrangement(workspace: Arrangement, how: How): void {
    this.#change({ workspace }, how);
    remember(ARRANGEMENT, writeArrangement(ofAnyTrace(workspace)));
  }

  /** Without an address there is nothing to stand beside: see `beside.ts`. */
  setBeside(beside: string): void {
    if (this.isAddressed) this.#change({ beside }, 'quiet');
  }

  async setLens(lens: Lens): Promise<boolean> {
    try {
      const { traceId, client } = this.session;
      const trace = await client.info(traceId, lens);
      // Nodes are numbered through the lens: the numbers of the old one mean nothing now.
      const renumbered = sameRows(lens, this.lens)
        ? {}
        : {
            open: [],
            closed: [],
            pins: [],
            selection: { ...this.selection, nodes: [] },
            scrollY: 0,
          };
      this.session.show(traceId, trace);
      this.#change({ lens, ...renumbered }, 'jump');
      return true;
    } catch (error) {
      this.notices.failed(error);
      return false;
    }
  }

  addMark(time: number): void {
    this.#setMarks([...this.marks, newMark(Math.round(time), this.marks)]);
  }
  /** A note on a window of time, and on a row if one is told; the panel is where it is written. */
  addNote({ from, to }: Window, row?: string): void {
    const mark = newMark(Math.round(from), this.marks, 'Note');
    this.#setMarks([...this.marks, { ...mark, end: Math.round(to), ...(row && { row }) }]);
    this.showPanel('marks');
  }
  changeMark(index: number, part: Partial<Mark>): void {
    this.#setMarks(this.marks.map((mark, i) => (i === index ? { ...mark, ...part } : mark)));
  }
  removeMark(index: number): void {
    this.#setMarks(this.marks.filter((_, i) => i !== index));
  }

  undo(): void {
    this.#steps.settle();
    if (this.canUndo) void this.#writing.then(() => this.#place.back());
  }
  redo(): void {
    this.#place.forward();
  }
  /** The address of what is seen now. */
  async address(): Promise<string> {
    this.#steps.settle();
    await this.#writing;
    return this.#place.address;
  }

  #windowFor(start: number, end: number): Partial<View> {
    const around = windowAround(start, end, this.window);
    return around === this.window ? {} : { window: within(around, this.session.whole.to) };
  }

  #change(part: Partial<View>, how: How): void {
    removeFirstPicture();
    this.#steps.change(how, () => {
      const isElsewhere = 'window' in part || 'lens' in part;
      const workspace = isElsewhere ? folded(this.arrangement) : this.arrangement;
      this.#view = { ...this.#view, workspace, ...part };
    });
  }

  /** Writes the view into the history, in the order of changes: packing a lens takes a while. */
  #write(how: 'pushState' | 'replaceState'): void {
    const view = this.#view;
    if (how === 'pushState') this.#step += 1;
    const kept: Kept = { step: this.#step, view };
    this.#writing = this.#writing.then(async () => {
      const lensText = isClear(view.lens)
        ? ''
        : await (await LENS_TEXT()).packLens(view.lens, this.session.lensKeeper(view.trace));
      this.#place.write(how, kept, writeAddress({ ...view, lensText }));
    });
    this.#writing = this.#writing.catch((error: unknown) => this.notices.failed(error));
  }

  async #tellUnreadable(): Promise<void> {
    const { fragment } = this.#place;
    if (fragment === '') return;
    const names = (await import('./unreadable')).unreadableParts(fragment);
    if (names.length === 0) return;
    this.notices.failed(new Error(`The address has what cannot be read: ${names.join(', ')}.`));
  }

  #wentTo(kept: Kept | null): void {
    this.#steps.forget();
    if (kept === null) {
      void this.#tellUnreadable();
      const parts = readAddress(this.#place.fragment);
      void this.#openTrace(parts.trace ?? this.#view.trace, parts);
      return;
    }
    this.#step = kept.step;
    const { marks, panels, beside } = this;
    // Otherwise the address would not lead to what is seen.
    const write = () => kept.view.beside === beside || this.#write('replaceState');
    if (kept.view.trace !== this.#view.trace) {
      void this.#load({ ...kept.view, beside }).then(write);
      return;
    }
    // Marks, panels, open views and what is beside are no navigation: they stay as they are.
    const lensBefore = this.lens;
    const workspace = steppedTo(this.arrangement, kept.view.workspace);
    this.#view = { ...kept.view, marks, panels, beside, workspace };
    write();
    if (this.lens === lensBefore) return;
    this.session.refresh(this.lens).catch((error: unknown) => this.notices.failed(error));
  }

  async #openTrace(
    id: string,
    parts: AddressParts,
    how: 'pushState' | 'replaceState' = 'replaceState',
  ): Promise<void> {
    const { lensText = '', ...rest } = parts;
    const panels = parts.panels ?? this.#usualPanels();
    const workspace = parts.workspace ?? this.#usualArrangement();
    this.#view = { ...NO_VIEW, ...rest, trace: id, marks: [], panels, workspace };
    if (!(await this.session.open(id))) return;
    const lens = await this.#lensOf(id, lensText);
    const view = { ...this.#view, lens, marks: parts.marks ?? [] };
    await this.#load(view, parts.rowHeight === undefined);
    this.#write(how);
  }

  /** The panels that are open, else those of the last visit, else those for which the window has room. */
  #usualPanels(): Panels {
    if (this.#view !== NO_VIEW) return this.panels;
    const page = { width: window.innerWidth, height: window.innerHeight };
    return readPanels(recall(PANELS, isText) ?? usualPanels(page)) ?? this.panels;
  }

  /** The views that are open, else those of the last visit. */
  #usualArrangement(): Arrangement {
    if (this.arrangement !== USUAL_ARRANGEMENT) return ofAnyTrace(this.arrangement);
    return readArrangement(recall(ARRANGEMENT, isText) ?? '') ?? USUAL_ARRANGEMENT;
  }

  async #load(view: View, isNew = false): Promise<void> {
    try {
      const [trace, saved] = await this.session.ask(view.trace, view.lens);
      const marks = mergeMarks(view.marks, saved.marks);
      const rowHeight = isNew ? trace.row_height : view.rowHeight;
      this.session.show(view.trace, trace);
      this.#view = { ...view, marks, rowHeight };
      setTimeout(() => this.session.pictureDrawn(), FIRST_PICTURE_MS);
    } catch (error) {
      this.session.fail(error);
    }
  }

  async #lensOf(id: string, text: string): Promise<Lens> {
    if (text === '') return CLEAR_LENS;
    try {
      const lens = await (await LENS_TEXT()).unpackLens(text, this.session.lensKeeper(id));
      await this.session.client.info(id, lens);
      return lens;
    } catch (error) {
      this.notices.failed(error);
      return CLEAR_LENS;
    }
  }

  #setMarks(marks: readonly Mark[]): void {
    const sorted = [...marks].sort((a, b) => a.time - b.time);
    this.#change({ marks: sorted }, 'quiet');
    clearTimeout(this.#saveTimer);
    const { traceId, client } = this.session;
    this.#saveTimer = setTimeout(() => {
      client.keepMarks(traceId, sorted).catch((error: unknown) => this.notices.failed(error));
    }, SAVE_MARKS_MS);
  }
}
