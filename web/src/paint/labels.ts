// Texts of a scene on a canvas above it. They were measured and shortened by the server in this
// very font: nothing is measured here.

import { ALIGN, RISE } from '../api/generated';
import type { LabelLayer, Scene } from '../api/scene';
import { cssColor } from '../lib/color';
import type { Transform } from './transform';

export const FAMILY = '"Noto Sans", system-ui, sans-serif';

/** The height of capital letters in units of the letter size. */
const CAPITAL_HEIGHT = 0.714;
const ALIGNMENTS: Readonly<Record<number, CanvasTextAlign>> = {
  [ALIGN.start]: 'left',
  [ALIGN.middle]: 'center',
  [ALIGN.end]: 'right',
};

export function drawLabels(
  context: CanvasRenderingContext2D,
  scene: Scene,
  transform: Transform,
  width: number,
  height: number,
): void {
  for (const layer of scene.layers) {
    if (layer.kind === 'labels') drawLayer(context, scene.texts, layer, transform, width, height);
  }
}

function drawLayer(
  context: CanvasRenderingContext2D,
  texts: readonly string[],
  layer: LabelLayer,
  transform: Transform,
  width: number,
  height: number,
): void {
  const { scaleX, shiftX, scaleY, shiftY } = transform;
  context.textBaseline = 'alphabetic';
  let look = '';
  for (let mark = 0; mark < layer.n; mark += 1) {
    const x = layer.x[mark] * scaleX + shiftX;
    const y = layer.y[mark] * scaleY + shiftY;
    const reach = layer.length[mark];
    if (x < -reach || x > width + reach || y < -reach || y > height + reach) continue;
    const wanted = `${layer.bold[mark]} ${layer.size[mark]} ${layer.color[mark]} ${layer.align[mark]}`;
    if (wanted !== look) setLook(context, layer, mark);
    look = wanted;
    drawText(context, texts[layer.text[mark]] ?? '', x, y + downOf(layer, mark), layer.turn[mark]);
  }
}

function setLook(context: CanvasRenderingContext2D, layer: LabelLayer, mark: number): void {
  context.font = `${layer.bold[mark] === 0 ? 400 : 700} ${layer.size[mark]}px ${FAMILY}`;
  context.fillStyle = cssColor(layer.color[mark]);
  context.textAlign = ALIGNMENTS[layer.align[mark]] ?? 'left';
}

function downOf(layer: LabelLayer, mark: number): number {
  if (layer.rise[mark] === RISE.baseline) return 0;
  const capital = layer.size[mark] * CAPITAL_HEIGHT;
  return layer.rise[mark] === RISE.middle ? capital / 2 : capital;
}

function drawText(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  turn: number,
): void {
  if (turn === 0) {
    context.fillText(text, x, y);
    return;
  }
  context.save();
  context.translate(x, y);
  context.rotate((turn * Math.PI) / 180);
  context.fillText(text, 0, 0);
  context.restore();
}
