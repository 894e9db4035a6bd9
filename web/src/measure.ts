// Measures the page for `onca bench web`: how long the first picture takes, and what a frame costs
// while somebody moves around. The server says whether that is wanted.

import type { Client } from './api/client';
import { statisticsOf } from './paint/statistics';
import type { App } from './state/app.svelte';

/** So many moves are measured. */
const MOVES = 240;
const CANVAS = 'timeline';

/** Waits for the first picture, moves around, and tells the server; if it wants to know. */
export async function measure(app: App, client: Client): Promise<void> {
  while (app.session === null) await nextFrame();
  if (!app.session.measured) return;
  const statistics = statisticsOf(CANVAS);
  while (statistics.vertices === 0 || statistics.frames === 0) await nextFrame();
  const firstPicture = performance.now();
  const frames: number[] = [];
  let drawCalls = 0;
  let vertices = 0;
  for (let move = 0; move < MOVES; move += 1) {
    app.setWindow(windowOf(move, app.whole.to), 'gesture');
    await nextFrame();
    frames.push(statistics.frameMs);
    drawCalls = Math.max(drawCalls, statistics.drawCalls);
    vertices = Math.max(vertices, statistics.vertices);
  }
  frames.sort((a, b) => a - b);
  await client.report({
    first_picture_ms: firstPicture,
    frames: frames.length,
    frame_median_ms: within(frames, 0.5),
    frame_p99_ms: within(frames, 0.99),
    draw_calls: drawCalls,
    vertices,
  });
}

/** Zooms in and out and pans at the same time, the same way each time. */
export function windowOf(move: number, length: number): { from: number; to: number } {
  const phase = (move / MOVES) * 2 * Math.PI;
  const span = Math.max(1, length * 10 ** (Math.cos(phase) - 1));
  const from = (length - span) * (0.5 + 0.5 * Math.sin(3 * phase));
  return { from: Math.floor(from), to: Math.ceil(from + span) };
}

/** The value within which so many of some sorted values lie. */
export function within(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

function nextFrame(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => resolve()));
}
