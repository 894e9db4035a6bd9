// Measures how long a page of `onca view` takes until the trace is seen, and until the page can be used:
//
//   node bench/first_picture.mjs ADDRESS [--runs N] [--latency MS] [--mbit N] [--width PX] [--height PX]
//
// ADDRESS is the one that `onca view` prints, with its token. Prints one object of JSON. Times are
// milliseconds after the request for the page. Each run begins with an empty cache and no cookies; the
// next visit of the same run has both. `--latency` is added to every request, `--mbit` bounds what comes in
// a second, as the developer tools of Chromium do it.

import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const USAGE =
  'usage: first_picture.mjs ADDRESS [--runs N] [--latency MS] [--mbit N] [--width PX] [--height PX]';
/** Draws without a graphics card, as on a machine that has none. */
const FLAGS = ['--no-sandbox', '--disable-gpu'];
const PATIENCE_MS = 60_000;
/** Tasks that are longer than this make a page feel slow. */
const LONG_TASK_MS = 50;

function optionsOf(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      runs: { type: 'string', default: '5' },
      latency: { type: 'string', default: '0' },
      mbit: { type: 'string', default: '0' },
      width: { type: 'string', default: '1280' },
      height: { type: 'string', default: '800' },
    },
  });
  const numbers = Object.entries(values).map(([name, text]) => [name, Number(text)]);
  const wrong = numbers.find(([, number]) => !Number.isFinite(number) || number < 0);
  const [address, ...more] = positionals;
  if (address === undefined || more.length > 0 || wrong !== undefined) throw new Error(USAGE);
  return { address, ...Object.fromEntries(numbers) };
}

/** Runs in the page before anything else: notes when what is on the screen. */
function observe() {
  const noted = {
    paint: null,
    largest: null,
    picture: null,
    canvas: null,
    answered: null,
    long: [],
  };
  globalThis.noted = noted;
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({
      type,
      buffered: true,
    });
  watch('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') noted.paint = startTime;
  });
  watch('largest-contentful-paint', ({ startTime }) => {
    noted.largest = startTime;
  });
  watch('element', ({ identifier, renderTime, loadTime }) => {
    if (identifier === 'first') noted.picture = renderTime || loadTime;
  });
  watch('mark', ({ name }) => {
    // The mark is set while the frame is made: the next one begins when it is on its way.
    if (name === 'onca-canvas') requestAnimationFrame((now) => (noted.canvas = now));
  });
  watch('longtask', ({ startTime, duration }) => noted.long.push([startTime, duration]));
  // The page answers a key by a change of the window, which the status line tells.
  addEventListener('keydown', () => {
    const before = document.querySelector('footer .window')?.textContent;
    const look = () => {
      const changed = document.querySelector('footer .window')?.textContent !== before;
      if (changed) requestAnimationFrame((now) => (noted.answered = now));
      else requestAnimationFrame(look);
    };
    look();
  });
}

async function visit(page, address) {
  const received = { requests: 0, bytes: 0 };
  const count = ({ encodedDataLength }) => {
    received.requests += 1;
    received.bytes += encodedDataLength;
  };
  page.network.on('Network.loadingFinished', count);
  await page.tab.goto(address, { waitUntil: 'commit', timeout: PATIENCE_MS });
  const known = (name) =>
    page.tab.waitForFunction((of) => globalThis.noted[of] !== null, name, {
      timeout: PATIENCE_MS,
      polling: 5,
    });
  await known('canvas');
  await page.tab.keyboard.press('w');
  await known('answered');
  page.network.off('Network.loadingFinished', count);
  const noted = await page.tab.evaluate(() => globalThis.noted);
  const long = noted.long.filter(([at, length]) => length > LONG_TASK_MS && at < noted.answered);
  return {
    picture_ms: noted.picture ?? noted.canvas,
    canvas_ms: noted.canvas,
    usable_ms: noted.answered,
    first_contentful_paint_ms: noted.paint,
    largest_contentful_paint_ms: noted.largest,
    long_tasks: long.length,
    longest_task_ms: Math.max(0, ...long.map(([, length]) => length)),
    requests: received.requests,
    bytes: received.bytes,
    is_pictured: noted.picture !== null,
  };
}

async function run(browser, options) {
  const { address, latency, mbit, width, height } = options;
  const context = await browser.newContext({ viewport: { width, height } });
  const tab = await context.newPage();
  await tab.addInitScript(observe);
  const network = await context.newCDPSession(tab);
  await network.send('Network.enable');
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: mbit === 0 ? -1 : (mbit * 1e6) / 8,
    uploadThroughput: mbit === 0 ? -1 : (mbit * 1e6) / 8,
  });
  const page = { tab, network };
  const first = await visit(page, address);
  await tab.goto('about:blank');
  const next = await visit(page, new URL(address).origin);
  await context.close();
  return { first, next };
}

const rounded = (number) => (typeof number === 'number' ? Math.round(number * 10) / 10 : number);

/** Of each measure its median and all values, in the order of the runs. */
function summary(visits) {
  const names = Object.keys(visits[0]);
  return Object.fromEntries(
    names.map((name) => {
      const values = visits.map((visited) => rounded(visited[name]));
      const sorted = [...values].sort((a, b) => a - b);
      return [name, { median: sorted[Math.floor((sorted.length - 1) / 2)], values }];
    }),
  );
}

async function main() {
  const options = optionsOf(process.argv.slice(2));
  const executablePath = process.env['ONCA_BROWSER'] ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  try {
    const runs = [];
    for (let place = 0; place < options.runs; place += 1) runs.push(await run(browser, options));
    const { runs: n, latency, mbit, width, height } = options;
    const measured = {
      schema: 'onca-first-picture/1',
      browser: `Chromium ${browser.version()}`,
      ...{ runs: n, latency_ms: latency, mbit_per_s: mbit === 0 ? null : mbit, width, height },
      first_visit: summary(runs.map(({ first }) => first)),
      next_visit: summary(runs.map(({ next }) => next)),
    };
    console.log(JSON.stringify(measured, null, 2));
  } finally {
    await browser.close();
  }
}

main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});
