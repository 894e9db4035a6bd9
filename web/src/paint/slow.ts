// Who draws what the processor is too slow for.

import { CoarseWhileMoving } from './coarse';
import type { Painter } from './painter';
import { SceneRenderer } from './renderer';
import { drawsInSoftware } from './software';

/** The graphics card, with fewer pixels while things move where that is the processor again. */
export function cardPainter(
  canvas: HTMLCanvasElement,
  name: string,
  onChanged: () => void,
): Painter {
  const card = new SceneRenderer(canvas, name, onChanged);
  return drawsInSoftware() ? new CoarseWhileMoving(card, onChanged) : card;
}

/** What goes on without any card, with fewer pixels while things move. */
export function alone(painter: Painter, onChanged: () => void): Painter {
  return new CoarseWhileMoving(painter, onChanged);
}
