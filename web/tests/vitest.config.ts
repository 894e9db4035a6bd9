// The tests of the page in a browser, against a real `onca view`: `npm run browser`.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ['*.spec.ts'],
    environment: 'node',
    // A page mostly waits: for the server, for the next frame, for what a user would take. No test asserts times.
    fileParallelism: true,
    maxWorkers: 2,
    // Far more than is needed: a busy machine is no failure.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    // A gesture may meet a machine that does something else just then. What fails each time is wrong.
    retry: 2,
    reporters: ['verbose'],
  },
});
