// Every question of the page is asked here; `transport.ts` is the way it takes.

import { ApiError } from './error';
import { parseExact } from './exact';
import {
  decodeMinimap,
  decodeScene,
  decodeTimeline,
  type Scene,
  type TimelineScene,
} from './scene';
import type { Solid } from './solid';
import { readStart, type Start } from './start';
import { HTTP, type Method, type Transport } from './transport';
import type {
  CommandAnswer,
  CompareAnswer,
  CompareQuestion,
  ContainersAnswer,
  ContainersQuestion,
  ErrorAnswer,
  ExportAnswer,
  ExportQuestion,
  FindAnswer,
  FindingsAnswer,
  FindQuestion,
  FlowAnswer,
  FlowQuestion,
  Inspection,
  InspectQuestion,
  KeptMark,
  Lens,
  LensAnswer,
  LensAppearance,
  LineQuestion,
  MarksAnswer,
  MinimapQuestion,
  Neighbour,
  OverviewAnswer,
  OverviewQuestion,
  Peak,
  PhasesAnswer,
  PhasesQuestion,
  ProblemsAnswer,
  ProfileAnswer,
  ProfileQuestion,
  Question,
  RowFile,
  SceneQuestion,
  Session,
  ShareAnswer,
  SolidQuestion,
  SourceAnswer,
  SqlAnswer,
  SqlTablesAnswer,
  StatisticsAnswer,
  StatisticsQuestion,
  StepQuestion,
  SummaryAnswer,
  TimelineQuestion,
  TraceInfo,
  ViewName,
  ViewsAnswer,
} from './types';

const INSTANCE_HEADER = 'X-Onca-Instance';
const COMMAND_HEADER = 'X-Onca-Command';

/** A server that is busy is asked again, so often, and later each time. */
const MOST_TRIES = 8;
const RETRY_MS = 100;

export class Client {
  private instance: string | null = null;

  /** `onGone` is called once when another program answers on this port. */
  constructor(
    private readonly onGone: () => void = () => {},
    private readonly transport: Transport = HTTP,
  ) {}

  /** What was asked for before this script was there; `null` if it has to be asked for again. */
  async started(asked: Promise<Response>): Promise<Start | null> {
    try {
      const answer = await asked;
      this.checkInstance(answer.headers.get(INSTANCE_HEADER));
      return answer.ok ? await readStart(answer) : null;
    } catch {
      return null;
    }
  }

  session(signal?: AbortSignal): Promise<Session> {
    return this.json('GET', '/api/session', undefined, signal);
  }

  /** Tells each change of the session while traces are indexed or followed. Returns how to stop. */
  watchProgress(onSession: (session: Session) => void): () => void {
    const stop = this.transport.listen('/api/progress', (text) => {
      const session = parseExact(text) as Session;
      // The server ends the stream then, and the browser would open it again and again.
      if (!session.traces.some(({ status }) => status === 'indexing' || status === 'following'))
        stop();
      onSession(session);
    });
    return stop;
  }

  info(trace: string, lens?: Lens, signal?: AbortSignal): Promise<TraceInfo> {
    const path = at(trace, 'info');
    return lens === undefined
      ? this.json('GET', path, undefined, signal)
      : this.json('POST', path, { lens }, signal);
  }

  async timeline(
    trace: string,
    question: TimelineQuestion,
    signal?: AbortSignal,
  ): Promise<TimelineScene> {
    return decodeTimeline(await this.bytes(at(trace, 'timeline'), question, signal));
  }

  /** With `communication`, the curve of messages too, which takes longer. */
  async minimap(
    trace: string,
    question: Question & MinimapQuestion,
    signal?: AbortSignal,
  ): Promise<Scene & { readonly peaks: readonly Peak[] }> {
    return decodeMinimap(await this.bytes(at(trace, 'minimap'), question, signal));
  }

  async scene(
    trace: string,
    view: ViewName,
    question: SceneQuestion & Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Scene> {
    return decodeScene(await this.bytes(at(trace, `scene/${view}`), question, signal));
  }

  async solid(trace: string, question: SolidQuestion, signal?: AbortSignal): Promise<Solid> {
    // Only scenes in space need it, and they are opened later.
    const [bytes, { decodeSolid }] = await Promise.all([
      this.bytes(at(trace, 'solid'), question, signal),
      import('./solid'),
    ]);
    return decodeSolid(bytes);
  }

  /** The trade-offs of an overview and, if asked for, its disruptions. */
  overview(
    trace: string,
    question: OverviewQuestion,
    signal?: AbortSignal,
  ): Promise<OverviewAnswer> {
    return this.json('POST', at(trace, 'overview'), question, signal);
  }

  /** Phases of communication, and the communities in each. */
  phases(trace: string, question: PhasesQuestion, signal?: AbortSignal): Promise<PhasesAnswer> {
    return this.json('POST', at(trace, 'phases'), question, signal);
  }

  /** What one community sends to another. */
  flow(trace: string, question: FlowQuestion, signal?: AbortSignal): Promise<FlowAnswer> {
    return this.json('POST', at(trace, 'flow'), question, signal);
  }

  inspect(trace: string, question: InspectQuestion, signal?: AbortSignal): Promise<Inspection> {
    return this.json('POST', at(trace, 'inspect'), question, signal);
  }

  /** The entity before (-1) or after (1) one. */
  async step(
    trace: string,
    question: StepQuestion & Question,
    signal?: AbortSignal,
  ): Promise<string | null> {
    const path = at(trace, 'step');
    const answer = await this.json<Neighbour>('POST', path, question, signal);
    return answer.pick;
  }

  find(trace: string, question: FindQuestion, signal?: AbortSignal): Promise<FindAnswer> {
    return this.json('POST', at(trace, 'find'), question, signal);
  }

  line(trace: string, question: LineQuestion, signal?: AbortSignal): Promise<FindAnswer> {
    return this.json('POST', at(trace, 'line'), question, signal);
  }

  statistics(
    trace: string,
    question: StatisticsQuestion,
    signal?: AbortSignal,
  ): Promise<StatisticsAnswer> {
    return this.json('POST', at(trace, 'statistics'), question, signal);
  }

  /** The time of each path of nested states. */
  profile(trace: string, question: ProfileQuestion, signal?: AbortSignal): Promise<ProfileAnswer> {
    return this.json('POST', at(trace, 'profile'), question, signal);
  }

  /** What each value takes in each container. */
  containers(
    trace: string,
    question: ContainersQuestion,
    signal?: AbortSignal,
  ): Promise<ContainersAnswer> {
    return this.json('POST', at(trace, 'containers'), question, signal);
  }

  /** The whole run in a few numbers. */
  summary(trace: string, lens: Lens, signal?: AbortSignal): Promise<SummaryAnswer> {
    return this.json('POST', at(trace, 'summary'), { lens }, signal);
  }

  views(trace: string, signal?: AbortSignal): Promise<ViewsAnswer> {
    return this.json('GET', at(trace, 'views'), undefined, signal);
  }

  /** What costs time in the whole trace, with the rows of a lens. */
  findings(trace: string, lens: Lens, signal?: AbortSignal): Promise<FindingsAnswer> {
    return this.json('POST', at(trace, 'findings'), { lens }, signal);
  }

  /** What changed from one run to another: `before` is the number of the first. */
  compare(trace: string, question: CompareQuestion, signal?: AbortSignal): Promise<CompareAnswer> {
    return this.json('POST', at(trace, 'compare'), question, signal);
  }

  problems(trace: string, signal?: AbortSignal): Promise<ProblemsAnswer> {
    return this.json('GET', at(trace, 'problems'), undefined, signal);
  }

  checkLens(trace: string, lens: Lens, signal?: AbortSignal): Promise<LensAnswer> {
    return this.json('POST', at(trace, 'lens'), { lens }, signal);
  }

  /** Keeps the text of a lens under its SHA-256. */
  async keepLens(trace: string, hash: string, lens: Lens): Promise<void> {
    await this.send('PUT', at(trace, `lens/${hash}`), JSON.stringify(lens));
  }

  keptLens(trace: string, hash: string): Promise<Lens> {
    return this.json('GET', at(trace, `lens/${hash}`));
  }

  async rememberAppearance(trace: string, appearance: LensAppearance): Promise<void> {
    await this.send('PUT', at(trace, 'appearance'), JSON.stringify(appearance));
  }

  marks(trace: string, signal?: AbortSignal): Promise<MarksAnswer> {
    return this.json('GET', at(trace, 'marks'), undefined, signal);
  }

  async keepMarks(trace: string, marks: readonly KeptMark[]): Promise<void> {
    await this.send('PUT', at(trace, 'marks'), JSON.stringify({ schema: 'onca-marks/1', marks }));
  }

  share(trace: string, signal?: AbortSignal): Promise<ShareAnswer> {
    return this.json('GET', at(trace, 'share'), undefined, signal);
  }

  sqlTables(trace: string, signal?: AbortSignal): Promise<SqlTablesAnswer> {
    return this.json('GET', at(trace, 'sql'), undefined, signal);
  }

  sql(trace: string, sql: string, signal?: AbortSignal): Promise<SqlAnswer> {
    return this.json('POST', at(trace, 'sql'), { sql, format: 'json' }, signal);
  }

  async sqlFile(trace: string, sql: string, format: RowFile, signal?: AbortSignal): Promise<Blob> {
    const body = JSON.stringify({ sql, format });
    const answer = await this.send('POST', at(trace, 'sql'), body, signal);
    return answer.blob();
  }

  async exportPicture(
    trace: string,
    question: ExportQuestion,
    signal?: AbortSignal,
  ): Promise<ExportAnswer> {
    const answer = await this.send('POST', at(trace, 'export'), JSON.stringify(question), signal);
    const command = decodeURIComponent(answer.headers.get(COMMAND_HEADER) ?? '');
    return { file: await answer.blob(), command };
  }

  command(trace: string, question: ExportQuestion, signal?: AbortSignal): Promise<CommandAnswer> {
    return this.json('POST', at(trace, 'command'), question, signal);
  }

  source(trace: string, file: string, signal?: AbortSignal): Promise<SourceAnswer> {
    const path = `${at(trace, 'source')}?file=${encodeURIComponent(file)}`;
    return this.json('GET', path, undefined, signal);
  }

  /** What the page measured of itself. */
  async report(measures: object): Promise<void> {
    await this.send('POST', '/api/report', JSON.stringify(measures));
  }

  private async bytes(path: string, question: object, signal?: AbortSignal): Promise<ArrayBuffer> {
    const answer = await this.send('POST', path, JSON.stringify(question), signal);
    return answer.arrayBuffer();
  }

  async json<T>(method: Method, path: string, question?: object, signal?: AbortSignal): Promise<T> {
    const body = question === undefined ? undefined : JSON.stringify(question);
    const answer = await this.send(method, path, body, signal);
    return parseExact(await answer.text()) as T;
  }

  async send(method: Method, path: string, body?: string, signal?: AbortSignal): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.transport.ask(path, {
        method,
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      });
      this.checkInstance(answer.headers.get(INSTANCE_HEADER));
      if (answer.ok) return answer;
      const error = errorFrom(answer.status, await answer.text());
      if (error.code !== 'busy' || tries === MOST_TRIES) throw error;
      await pause(RETRY_MS * tries, signal);
    }
  }

  private checkInstance(instance: string | null): void {
    if (instance === null || instance === this.instance) return;
    if (this.instance === null) {
      this.instance = instance;
      return;
    }
    this.onGone();
    throw new ApiError('instance', 'Another program answers here now. Open the page again.');
  }
}

function at(trace: string, what: string): string {
  return `/api/traces/${encodeURIComponent(trace)}/${what}`;
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const leave = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
  });
}

export function errorFrom(status: number, body: string): ApiError {
  try {
    const { code, message, id } = parseExact(body) as ErrorAnswer;
    if (typeof message === 'string') return new ApiError(code, message, status, id);
  } catch {
    // Not the body of an error: the status has to do.
  }
  return new ApiError('answer', `The server answered ${status}.`, status);
}
