// The one state of the page: the trace that is open and the view of it. Everything that a person
// can change goes through the methods here, so that it can be undone and stands in the address.

import type { Client } from '../api/client';
import { messageOf } from '../api/error';
import type { FirstScene, Start } from '../api/start';
import type { Lens, MarksAnswer, Session, TraceInfo } from '../api/types';
import { clamp } from '../lib/number';
import { type TimeBase, timeBase } from '../lib/time';
import { within } from '../lib/window';
import { groupRows, hideSelection, scrollToRow } from './actions';
import { type AddressParts, readAddress, writeAddress } from './address';
import { Desk } from './desk.svelte';
import { removeFirstPicture } from './first_plot';
import { type How, Steps } from './history';
import { CLEAR_LENS } from './lens';
import { type LensKeeper, packLens, unpackLens } from './lens_text';
import { mergeMarks, newMark } from './marks';
import { Notices } from './notices.svelte';
import { isText, recall, remember } from './remembered';
import { ThemeChoice } from './theme.svelte';
import {
  type Hover,
  type LinksMode,
  type Mark,
  type MenuSubject,
  NOTHING_SELECTED,
  type PanelName,
  type Panels,
  ROW_HEIGHT,
  type RowHeight,
  type Selection,
  type Status,
  type Theme,
  type View,
  type Window,
} from './types';
import { NO_VIEW, sameRows, windowAround } from './view';
import {
  folded,
  ofAnyTrace,
  type Pane,
  readWorkspace,
  steppedTo,
  USUAL_WORKSPACE,
  type Workspace,
  withPane,
  writeWorkspace,
} from './workspace';

const NO_STATUS: Status = { rows: 0, exact: true, notes: [], ms: 0 };

const WORKSPACE = 'workspace';
/** What is less urgent than the first picture waits no longer than this. */
const FIRST_PICTURE_MS = 1500;

/** What the history of the browser keeps. The number tells whether there is a step to go back to. */
interface Kept {
  readonly step: number;
  readonly view: View;
}

export class App {
  readonly client: Client;
  /** The place of the pane that sees it: `appOfPane` tells. */
  readonly pane: number = 0;
  readonly notices = new Notices();
  readonly desk = new Desk();

  #view = $state.raw<View>(NO_VIEW);
  #trace = $state.raw<TraceInfo | null>(null);
  #session = $state.raw<Session | null>(null);
  #failure = $state<string | null>(null);
  #hasPicture = $state(false);
  readonly #theme = new ThemeChoice();
  #hovered = $state.raw<Hover | null>(null);
  #highlight = $state<number | null>(null);
  #status = $state.raw<Status>(NO_STATUS);

  readonly traceId: string = $derived(this.#view.trace);
  readonly whole: Window = $derived({ from: 0, to: Math.max(1, this.#trace?.length ?? 1) });
  /** How times are written; `null` while there is no trace. */
  readonly base: TimeBase | null = $derived(this.#trace && timeBase(this.#trace));
  readonly window: Window = $derived(this.#view.window ?? this.whole);
  readonly lens: Lens = $derived(this.#view.lens);
  readonly selection: Selection = $derived(this.#view.selection);
  readonly depth: number | null = $derived(this.#view.depth);
  readonly #openNodes = $derived(this.#view.open);
  readonly #closedNodes = $derived(this.#view.closed);
  readonly open: ReadonlySet<number> = $derived(new Set(this.#openNodes));
  readonly closed: ReadonlySet<number> = $derived(new Set(this.#closedNodes));
  readonly rowHeight: RowHeight = $derived(this.#view.rowHeight);
  readonly scrollY: number = $derived(this.#view.scrollY);
  readonly links: LinksMode = $derived(this.#view.links);
  readonly panels: Panels = $derived(this.#view.panels);
  readonly workspace: Workspace = $derived(this.#view.workspace);
  readonly marks: readonly Mark[] = $derived(this.#view.marks);

  /** What the page began with, until it is used or outdated. */
  #start: Start | null = null;
  #first: FirstScene | null = null;
  #step = 0;
  #writing: Promise<void> = Promise.resolve();
  #infoOrder = 0;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #steps = new Steps({
    push: () => this.#write('pushState'),
    replace: () => this.#write('replaceState'),
  });

  constructor(client: Client) {
    this.client = client;
  }

  get trace(): TraceInfo | null {
    return this.#trace;
  }
  get session(): Session | null {
    return this.#session;
  }
  /** Is a first picture there? What stands beside it waits for that, but not for long. */
  get hasPicture(): boolean {
    return this.#hasPicture;
  }
  pictureDrawn(): void {
    this.#hasPicture = true;
  }
  /** Why there is no trace to see. */
  get failure(): string | null {
    return this.#failure;
  }
  get theme(): Theme {
    return this.#theme.now;
  }
  get hovered(): Hover | null {
    return this.#hovered;
  }
  get highlight(): number | null {
    return this.#highlight;
  }
  get status(): Status {
    return this.#status;
  }
  get canUndo(): boolean {
    return this.#step > 0;
  }

  /**
   * Opens the trace that the address names, or the first. What is known of it may have been asked for
   * already.
   */
  async start(asked?: Promise<Response>): Promise<void> {
    this.#theme.follow();
    window.addEventListener('popstate', (event) => this.#wentTo(event.state as Kept | null));
    window.addEventListener('pagehide', () => this.#steps.settle());
    // A page that is loaded again has steps behind it.
    this.#step = (history.state as Kept | null)?.step ?? 0;
    try {
      this.#start = asked === undefined ? null : await this.client.started(asked);
      this.#session = this.#start?.session ?? (await this.client.session());
      const parts = readAddress(location.hash);
      const known = this.#session.traces.find((trace) => trace.id === parts.trace);
      const trace = known ?? this.#session.traces[0];
      if (trace === undefined) this.#failure = 'The program was started without a trace.';
      else await this.#openTrace(trace.id, parts);
    } catch (error) {
      this.#failure = messageOf(error);
    }
  }

  /** A scene that came with the page, for the first who asks. */
  takeFirstScene(): FirstScene | null {
    const first = this.#first;
    this.#first = null;
    return first;
  }

  /** Another program answers on this port: nothing that is seen can be asked about any more. */
  serverChanged(): void {
    this.#failure = 'Another program answers here now. Open the page again.';
    this.#trace = null;
  }

  chooseTrace(id: string): void {
    this.#steps.settle();
    void this.#openTrace(id, {}, 'pushState');
  }

  setWindow(window: Window, how: 'gesture' | 'jump'): void {
    this.#change({ window: within(window, this.whole.to) }, how);
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
  /** Selects something, shows it, and shows the inspector. */
  reveal(pick: string, node: number | null, start: number, end: number): void {
    const selection = { ...NOTHING_SELECTED, pick, nodes: node === null ? [] : [node] };
    this.#change(
      {
        selection,
        ...this.#windowFor(start, end),
        panels: { ...this.panels, inspector: true },
      },
      'jump',
    );
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

  setPanels(part: Partial<Panels>): void {
    this.#change({ panels: { ...this.panels, ...part } }, 'quiet');
  }
  showPanel(tab: PanelName): void {
    this.setPanels({ tab, bottom: true });
  }

  /** Which views are open is no navigation: undo does not change it, unless `how` says so. */
  setWorkspace(workspace: Workspace, how: How = 'quiet'): void {
    this.#change({ workspace }, how);
    remember(WORKSPACE, writeWorkspace(ofAnyTrace(workspace)));
  }
  setPane(place: number, part: Partial<Pane>, how: How = 'quiet'): void {
    this.setWorkspace(withPane(this.workspace, place, part), how);
  }

  /** Takes a lens if it makes sense for the trace; else says why not. */
  async setLens(lens: Lens): Promise<boolean> {
    try {
      const answer = await this.client.info(this.traceId, lens);
      this.#infoOrder += 1;
      // Nodes are numbered through the lens: the numbers of the old one mean nothing now.
      const renumbered = sameRows(lens, this.lens)
        ? {}
        : { open: [], closed: [], selection: { ...this.selection, nodes: [] }, scrollY: 0 };
      this.#trace = answer;
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
  changeMark(index: number, part: Partial<Mark>): void {
    this.#setMarks(this.marks.map((mark, i) => (i === index ? { ...mark, ...part } : mark)));
  }
  removeMark(index: number): void {
    this.#setMarks(this.marks.filter((_, i) => i !== index));
  }

  setHover(hover: Hover | null): void {
    this.#hovered = hover;
  }
  setHighlight(color: number | null): void {
    this.#highlight = color;
  }
  setStatus(status: Status): void {
    this.#status = status;
  }
  setTheme(theme: Theme): void {
    this.#theme.choose(theme);
  }

  showSource(file: string, line: number): void {
    this.desk.showSource(file, line);
    this.showPanel('source');
  }
  searchFor(pattern: string): void {
    this.desk.searchFor(pattern);
    this.showPanel('search');
  }
  openMenu(x: number, y: number, about: MenuSubject): void {
    this.desk.openMenu({ x, y, about });
  }

  groupSelected(): Promise<void> {
    return groupRows(this, this.selection.nodes);
  }
  hideSelected(): Promise<void> {
    return hideSelection(this);
  }

  undo(): void {
    this.#steps.settle();
    if (this.canUndo) void this.#writing.then(() => history.back());
  }
  redo(): void {
    history.forward();
  }
  /** The address of what is seen now. */
  async address(): Promise<string> {
    this.#steps.settle();
    await this.#writing;
    return location.href;
  }

  #windowFor(start: number, end: number): Partial<View> {
    const around = windowAround(start, end, this.window);
    return around === this.window ? {} : { window: within(around, this.whole.to) };
  }

  #change(part: Partial<View>, how: How): void {
    removeFirstPicture();
    this.#steps.change(how, () => {
      const isElsewhere = 'window' in part || 'lens' in part;
      const workspace = isElsewhere ? folded(this.workspace) : this.workspace;
      this.#view = { ...this.#view, workspace, ...part };
    });
  }

  /** Writes the view into the history, in the order of changes: packing a lens takes a while. */
  #write(how: 'pushState' | 'replaceState'): void {
    const view = this.#view;
    if (how === 'pushState') this.#step += 1;
    const kept: Kept = { step: this.#step, view };
    this.#writing = this.#writing.then(async () => {
      const lensText = await packLens(view.lens, this.#lensKeeper(view.trace));
      history[how](kept, '', `#${writeAddress({ ...view, lensText })}`);
    });
    this.#writing = this.#writing.catch((error: unknown) => this.notices.failed(error));
  }

  #wentTo(kept: Kept | null): void {
    this.#steps.forget();
    if (kept === null) {
      const parts = readAddress(location.hash);
      void this.#openTrace(parts.trace ?? this.traceId, parts);
      return;
    }
    this.#step = kept.step;
    if (kept.view.trace !== this.traceId) {
      void this.#load(kept.view);
      return;
    }
    // Marks, panels and open views are no navigation: they stay as they are.
    const lensBefore = this.lens;
    const { marks, panels } = this;
    const workspace = steppedTo(this.workspace, kept.view.workspace);
    this.#view = { ...kept.view, marks, panels, workspace };
    if (this.lens !== lensBefore) void this.#refreshTrace();
  }

  async #openTrace(
    id: string,
    parts: AddressParts,
    how: 'pushState' | 'replaceState' = 'replaceState',
  ): Promise<void> {
    const { lensText = '', ...rest } = parts;
    const panels = parts.panels ?? this.panels;
    const workspace = parts.workspace ?? this.#usualWorkspace();
    this.#view = { ...NO_VIEW, ...rest, trace: id, marks: [], panels, workspace };
    this.#trace = null;
    this.#failure = null;
    this.#status = NO_STATUS;
    await this.#waitUntilReady(id);
    if (this.#failure !== null || this.traceId !== id) return;
    const lens = await this.#lensOf(id, lensText);
    const view = { ...this.#view, lens, marks: parts.marks ?? [] };
    await this.#load(view, parts.rowHeight === undefined);
    this.#write(how);
  }

  /** The views that are open, else those of the last visit. */
  #usualWorkspace(): Workspace {
    if (this.workspace !== USUAL_WORKSPACE) return ofAnyTrace(this.workspace);
    return readWorkspace(recall(WORKSPACE, isText) ?? '') ?? USUAL_WORKSPACE;
  }

  async #load(view: View, isNew = false): Promise<void> {
    try {
      const [trace, saved] = this.#known(view) ?? (await this.#ask(view));
      const marks = mergeMarks(view.marks, saved.marks);
      const rowHeight = isNew ? trace.row_height : view.rowHeight;
      this.#trace = trace;
      this.#view = { ...view, marks, rowHeight };
      setTimeout(() => this.pictureDrawn(), FIRST_PICTURE_MS);
    } catch (error) {
      this.#failure = messageOf(error);
    }
  }

  #ask(view: View): Promise<[TraceInfo, MarksAnswer]> {
    return Promise.all([this.client.info(view.trace, view.lens), this.client.marks(view.trace)]);
  }

  /** What came with the page, if it is about this view. Later it would be old. */
  #known(view: View): [TraceInfo, MarksAnswer] | null {
    const start = this.#start;
    this.#start = null;
    if (start === null || start.trace === null || start.id !== view.trace) return null;
    if (view.lens !== CLEAR_LENS) return null;
    this.#first = start.first;
    return [start.trace.info, start.trace.marks];
  }

  async #lensOf(id: string, text: string): Promise<Lens> {
    if (text === '') return CLEAR_LENS;
    try {
      const lens = await unpackLens(text, this.#lensKeeper(id));
      await this.client.info(id, lens);
      return lens;
    } catch (error) {
      this.notices.failed(error);
      return CLEAR_LENS;
    }
  }

  #lensKeeper(id: string): LensKeeper {
    return {
      keep: (hash, lens) => this.client.keepLens(id, hash, lens),
      fetch: (hash) => this.client.keptLens(id, hash),
    };
  }

  /** Follows the indexing of a trace until there is something to see, or to say. */
  async #waitUntilReady(id: string): Promise<void> {
    const find = () => this.#session?.traces.find((trace) => trace.id === id);
    if (find()?.status === 'indexing') {
      await new Promise<void>((resolve) => {
        const stop = this.client.watchProgress((session) => {
          this.#session = session;
          if (find()?.status === 'indexing' && this.traceId === id) return;
          stop();
          resolve();
        });
      });
    }
    const trace = find();
    if (trace?.status === 'failed') this.#failure = trace.message ?? 'The trace cannot be read.';
    if (trace === undefined) this.#failure = 'There is no such trace.';
  }

  /** Colours and levels through the lens of now; a later question makes an answer worthless. */
  async #refreshTrace(): Promise<void> {
    this.#infoOrder += 1;
    const order = this.#infoOrder;
    try {
      const trace = await this.client.info(this.traceId, this.lens);
      if (order === this.#infoOrder) this.#trace = trace;
    } catch (error) {
      this.notices.failed(error);
    }
  }

  #setMarks(marks: readonly Mark[]): void {
    const sorted = [...marks].sort((a, b) => a.time - b.time);
    this.#change({ marks: sorted }, 'quiet');
    clearTimeout(this.#saveTimer);
    const id = this.traceId;
    this.#saveTimer = setTimeout(() => {
      this.client.keepMarks(id, sorted).catch((error: unknown) => this.notices.failed(error));
    }, SAVE_MARKS_MS);
  }
}

/** Names and notes are typed letter by letter; not every letter has to be saved. */
const SAVE_MARKS_MS = 500;
