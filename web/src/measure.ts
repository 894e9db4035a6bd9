// Measures the page for `onca-bench web`: how long the first picture takes, and what a frame costs
// while somebody moves around. The server says whether that is wanted.

import { statisticsOf } from './paint/statistics';
import { USUAL_OPTIONS } from './state/arrangement';
import { FIRST_CANVAS } from './state/first_plot';
import type { Pane } from './state/pane.svelte';
import type { Camera } from './state/space';

/** Fewer turns than moves are measured: without a graphics card they take long. */
const MOVES = 240;
const TURNS = 60;

/** How somebody moves around in a view: what a move does, and which canvas it draws. */
interface Walk {
  readonly canvas: string;
  readonly moves: number;
  readonly move: (move: number) => void;
}

/** Waits for the first picture, moves around, and tells the server. */
export async function measure(pane: Pane): Promise<void> {
  const { canvas, moves, move } = walkIn(pane);
  const statistics = statisticsOf(canvas);
  while (statistics.vertices === 0 || statistics.frames === 0) await nextFrame();
  const firstPicture = canvas === 'timeline' ? firstDrawn() : performance.now();
  const [scripting, intervals]: [number[], number[]] = [[], []];
  let [drawCalls, vertices] = [0, 0];
  let before = await nextFrame();
  for (let step = 0; step < moves; step += 1) {
    const drawn = statistics.frames;
    move(step);
    let now = await nextFrame();
    // What changes now is drawn in the next frame, or in the one after it.
    if (statistics.frames === drawn) now = await nextFrame();
    intervals.push(now - before);
    before = now;
    scripting.push(statistics.frameMs);
    drawCalls = Math.max(drawCalls, statistics.drawCalls);
    vertices = Math.max(vertices, statistics.vertices);
  }
  const inOrder = (times: readonly number[]) => [...times].sort((a, b) => a - b);
  const [ofScripting, ofIntervals] = [inOrder(scripting), inOrder(intervals)];
  await pane.session.client.report({
    first_picture_ms: firstPicture,
    frames: moves,
    frame_median_ms: within(ofScripting, 0.5),
    frame_p99_ms: within(ofScripting, 0.99),
    interval_median_ms: within(ofIntervals, 0.5),
    interval_p99_ms: within(ofIntervals, 0.99),
    draw_calls: drawCalls,
    vertices,
  });
}

/** When the timeline was first drawn: this script may have come later. */
function firstDrawn(): number {
  return performance.getEntriesByName(FIRST_CANVAS)[0]?.startTime ?? performance.now();
}

/** Where there is a network, a scene in space on it is opened and turned; else the window moves. */
function walkIn(pane: Pane): Walk {
  const { server, whole } = pane.session;
  if ((server?.topologies.length ?? 0) === 0) {
    const move = (step: number) => pane.setWindow(windowOf(step, whole.to), 'gesture');
    return { canvas: 'timeline', moves: MOVES, move };
  }
  const show = (camera: Camera | null) => {
    const space = { ...USUAL_OPTIONS.space, base: 'topology' as const, camera };
    pane.set({ view: 'space', options: { ...USUAL_OPTIONS, space } });
  };
  show(null);
  return { canvas: 'space', moves: TURNS, move: (step) => show(cameraOf(step)) };
}

/** Once around a scene in space and nearly from its side to its top, the same way each time. */
export function cameraOf(move: number): Camera {
  const phase = (move / TURNS) * 2 * Math.PI;
  const [azimuth, elevation] = [(360 * move) / TURNS, 45 - 40 * Math.cos(phase)];
  return { azimuth, elevation, zoom: 1, x: 0, y: 0, z: 0.5 };
}

/** Zooms in and out and pans at the same time, the same way each time. */
export function windowOf(move: number, length: number): { from: number; to: number } {
  const phase = (move / MOVES) * 2 * Math.PI;
  const span = Math.max(1, length * 10 ** (Math.cos(phase) - 1));
  const from = (length - span) * (0.5 + 0.5 * Math.sin(3 * phase));
  return { from: Math.floor(from), to: Math.ceil(from + span) };
}

/** The value within which this share of some sorted values lies. */
export function within(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

function nextFrame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}
