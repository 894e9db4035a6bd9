// A navigation for tests: a trace of a thousand ticks is open, and no server is asked.

import { Client } from '../api/client';
import type { TraceInfo } from '../api/types';
import { Navigation } from './navigation.svelte';
import { Notices } from './notices.svelte';
import { TraceSession } from './trace_session.svelte';

export const LENGTH = 1000;

const TRACE: TraceInfo = {
  schema: '',
  name: 'run',
  begin_ticks: '0',
  length: LENGTH,
  unit: { name: 's', assumed: false, ticks_per_unit: '1000' },
  records: 0,
  lost: 0,
  counts: { containers: 0, states: 0, links: 0, events: 0, variables: 0 },
  producer: null,
  changes: [],
  types: [],
  trace_colors: { given: false, asked: 'auto', unused: null },
  values: [],
  levels: [],
  row_height: 'fit',
  problems: { notes: 0, warnings: 0, errors: 0 },
  fields: [],
  has_source: false,
};

export function fakeNavigation(): Navigation {
  const session = new TraceSession(new Client(() => {}));
  session.show('1', TRACE);
  return new Navigation(session, new Notices());
}
