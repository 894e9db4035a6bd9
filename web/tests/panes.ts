// The demo trace in two views beside each other: what their tests begin with and look at.

import { middleOf, type Visit, type VisitOptions } from './browser';
import { answered, demoSession, questionsOf } from './session';

export interface Asked {
  readonly window?: { readonly from: number; readonly to: number };
  readonly depth?: number;
  readonly p?: number;
  readonly lens?: { readonly select?: { readonly values?: { readonly only?: readonly string[] } } };
  readonly links?: { readonly of: readonly string[]; readonly nodes: readonly number[] } | string;
  readonly against_from?: number;
  readonly against_to?: number;
  readonly path?: readonly string[];
  readonly agg?: string;
  readonly ratio?: string;
  readonly waits?: boolean;
  readonly critical_path?: boolean;
}

export const session = demoSession();

/** The page of the test that runs. */
export let visit: Visit;
/** What pictures were last asked for, by view. */
export let asked: Map<string, Asked>;

export async function start(options: VisitOptions = {}): Promise<void> {
  visit = await session.visit('demo', options);
  asked = questionsOf(visit);
}

/** The timeline at the left and another view at the right. */
export async function open(view: string, more = ''): Promise<void> {
  await start();
  await session.show(visit, 'demo', `["timeline", ${view}]`, more);
  await rightPicture().waitFor();
  await rest();
}

export const right = () => visit.page.getByRole('region', { name: /, right$/ });
export const rightPicture = () => right().getByRole('application');
export const timeline = () => visit.page.getByRole('region', { name: 'Timeline, left' });

export const rest = () => answered(visit);

/** Looks for a mark whose tip says something, row by row from a share of the height on, and clicks it. */
export async function clickTitled(title: RegExp, below = 0): Promise<void> {
  const STEPS = 24;
  for (let row = Math.floor(below * STEPS); row < STEPS; row += 1) {
    for (let column = 0; column < STEPS; column += 1) {
      const [x, y] = await middleOf(rightPicture(), (column + 0.5) / STEPS, (row + 0.5) / STEPS);
      await visit.page.mouse.move(x, y);
      const said = await visit.page.evaluate(
        () => document.querySelector('[role="tooltip"]')?.textContent ?? '',
      );
      if (!title.test(said.trim())) continue;
      await visit.page.mouse.click(x, y);
      return;
    }
  }
  throw new Error(`nothing says ${title}`);
}

export { middleOf };
