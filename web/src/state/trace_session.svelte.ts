// What the server told: which traces there are, what the open one is like, and how true the last
// picture of it was. What the person chose is in `navigation.svelte.ts`.

import type { Client } from '../api/client';
import { messageOf } from '../api/error';
import type { FirstScene, Start } from '../api/start';
import type { Lens, MarksAnswer, Session, TraceInfo } from '../api/types';
import { type TimeBase, timeBase } from '../lib/time';
import type { Window } from '../lib/window';
import { CLEAR_LENS } from './lens';
import type { LensKeeper } from './lens_text';
import type { Status } from './types';

const NO_STATUS: Status = { rows: 0, exact: true, notes: [], ms: 0, legend: [] };

export class TraceSession {
  readonly client: Client;
  #server = $state.raw<Session | null>(null);
  #traceId = $state('');
  /** How often a trace that is followed has changed: answers of before are outdated. */
  #looks = $state(0);
  #trace = $state.raw<TraceInfo | null>(null);
  #failure = $state<string | null>(null);
  #hasPicture = $state(false);
  #status = $state.raw<Status>(NO_STATUS);

  readonly whole: Window = $derived({ from: 0, to: Math.max(1, this.#trace?.length ?? 1) });
  /** How times are written; `null` while there is no trace. */
  readonly base: TimeBase | null = $derived(this.#trace && timeBase(this.#trace));

  /** What the page began with, until it is used or outdated. */
  #start: Start | null = null;
  #first: FirstScene | null = null;
  #refreshes = 0;

  constructor(client: Client) {
    this.client = client;
  }

  /** What the server said about itself and its traces. */
  get server(): Session | null {
    return this.#server;
  }
  /** What requests call the trace. It changes when answers do: whoever asked asks again. */
  get traceId(): string {
    return this.#looks === 0 ? this.#traceId : `${this.#traceId}@${this.#looks}`;
  }
  /** What the server calls the trace, whatever has come of it. */
  get ownId(): string {
    return this.#traceId;
  }
  /** Is the trace that is open still being written? */
  get isFollowed(): boolean {
    return this.#own?.growth != null;
  }
  /** Up to when answers are sure; `null` if all are. */
  get watermark(): number | null {
    const growth = this.#own?.growth ?? null;
    return growth === null ? null : Number(growth.watermark_ticks);
  }
  /** Why the trace that is open could not be followed to its end; `null` if nothing is wrong. */
  get broken(): string | null {
    const own = this.#own;
    return own?.status === 'broken' ? own.message : null;
  }
  get #own() {
    return this.#server?.traces.find(({ id }) => id === this.#traceId);
  }
  /** Is this the trace that is open, as it is or as it was? */
  isOpen(id: string): boolean {
    return id.split('@')[0] === this.#traceId;
  }
  get trace(): TraceInfo | null {
    return this.#trace;
  }
  /** Is there a trace? Other than what it is like, this does not change while it grows. */
  readonly hasTrace: boolean = $derived(this.#trace !== null);
  /** Why there is no trace to see. */
  get failure(): string | null {
    return this.#failure;
  }
  /** Is a first picture there? What stands beside it waits for that, but not for long. */
  get hasPicture(): boolean {
    return this.#hasPicture;
  }
  get status(): Status {
    return this.#status;
  }

  setStatus(status: Status): void {
    this.#status = status;
  }
  pictureDrawn(): void {
    this.#hasPicture = true;
  }
  fail(error: unknown): void {
    this.#failure = messageOf(error);
  }

  /** Another program answers on this port: nothing that is seen can be asked about any more. */
  serverChanged(): void {
    this.fail('Another program answers here now. Open the page again.');
    this.#trace = null;
  }

  /** Learns which traces there are. The page may have asked for them already. */
  async start(asked?: Promise<Response>): Promise<void> {
    this.#start = asked === undefined ? null : await this.client.started(asked);
    this.#server = this.#start?.session ?? (await this.client.session());
  }

  /** The trace of this name, else the first; `null` if there is none. */
  traceFor(id: string | undefined): string | null {
    const { traces = [] } = this.#server ?? {};
    return (traces.find((trace) => trace.id === id) ?? traces[0])?.id ?? null;
  }

  /** A scene that came with the page, for the first who asks. */
  takeFirstScene(): FirstScene | null {
    const first = this.#first;
    this.#first = null;
    return first;
  }

  /** Leaves the trace that is open for another; tells whether that one can be asked about now. */
  async open(id: string): Promise<boolean> {
    this.#traceId = id;
    this.#looks = 0;
    this.#trace = null;
    this.#failure = null;
    this.#status = NO_STATUS;
    await this.#indexed(id);
    return this.#failure === null && this.#traceId === id;
  }

  /** What a trace is like through a lens, and the marks that are kept with it. */
  ask(id: string, lens: Lens): Promise<[TraceInfo, MarksAnswer]> {
    const start = this.#start;
    // Later, what came with the page would be old.
    this.#start = null;
    if (start === null || start.trace === null || start.id !== id || lens !== CLEAR_LENS) {
      return Promise.all([this.client.info(id, lens), this.client.marks(id)]);
    }
    this.#first = start.first;
    return Promise.resolve([start.trace.info, start.trace.marks]);
  }

  show(id: string, trace: TraceInfo): void {
    this.#refreshes += 1;
    this.#traceId = id.split('@')[0] ?? id;
    this.#trace = trace;
  }

  /** The server has told something new of a trace that is followed. */
  told(server: Session): void {
    this.#server = server;
  }
  /** More of the trace can be asked about. */
  grow(looks: number, trace: TraceInfo): void {
    this.#looks = looks;
    this.#trace = trace;
  }

  /** Colours and levels through another lens; a later question makes an answer worthless. */
  async refresh(lens: Lens): Promise<void> {
    this.#refreshes += 1;
    const refresh = this.#refreshes;
    const trace = await this.client.info(this.#traceId, lens);
    if (refresh === this.#refreshes) this.#trace = trace;
  }

  lensKeeper(id: string): LensKeeper {
    return {
      keep: (hash, lens) => this.client.keepLens(id, hash, lens),
      fetch: (hash) => this.client.keptLens(id, hash),
    };
  }

  /** Follows the indexing of a trace until there is something to see, or to say. */
  async #indexed(id: string): Promise<void> {
    const find = () => this.#server?.traces.find((trace) => trace.id === id);
    if (find()?.status === 'indexing') {
      await new Promise<void>((resolve) => {
        const stop = this.client.watchProgress((server) => {
          this.#server = server;
          if (find()?.status === 'indexing' && this.#traceId === id) return;
          stop();
          resolve();
        });
      });
    }
    const trace = find();
    if (trace?.status === 'failed') this.fail(trace.message ?? 'The trace cannot be read.');
    if (trace === undefined) this.fail('There is no such trace.');
  }
}
