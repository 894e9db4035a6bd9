// What painting costs, counted for whoever measures the page: `window.onca.paint`.

export interface CanvasStatistics {
  drawCalls: number;
  vertices: number;
  /** Scripting of the last frame, in milliseconds. */
  frameMs: number;
  /** Scripting when the last scene was put on the graphics card. */
  loadMs: number;
  frames: number;
}

export interface PaintStatistics {
  /** By the name of the canvas. */
  readonly canvases: Record<string, CanvasStatistics>;
  /** Scripting of recent frames of all canvases, in milliseconds, the newest last. */
  readonly frames: number[];
}

declare global {
  interface Window {
    onca?: { paint: PaintStatistics };
  }
}

/** Older frames are forgotten. */
const REMEMBERED = 600;

function shared(): PaintStatistics {
  window.onca ??= { paint: { canvases: {}, frames: [] } };
  return window.onca.paint;
}

export function statisticsOf(canvas: string): CanvasStatistics {
  const { canvases } = shared();
  canvases[canvas] ??= { drawCalls: 0, vertices: 0, frameMs: 0, loadMs: 0, frames: 0 };
  return canvases[canvas];
}

export function recordFrame(canvas: string, ms: number): void {
  const statistics = statisticsOf(canvas);
  statistics.frameMs = ms;
  statistics.frames += 1;
  const { frames } = shared();
  frames.push(ms);
  if (frames.length > REMEMBERED) frames.splice(0, frames.length - REMEMBERED);
}
