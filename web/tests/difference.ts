// How alike two pictures are.

import type { Page } from 'playwright-core';

export interface Difference {
  /** The mean over all colours. */
  readonly mean: number;
  /** The share of pixels that have another colour: one of their channels differs by more than `TOLERANCE`. */
  readonly others: number;
}

/** Means are rounded, by the graphics card otherwise than by the processor. */
const TOLERANCE = 8;

/** How much two pictures differ when one is moved by some pixels. Any page decodes them. */
export async function differences(
  page: Page,
  a: Buffer,
  b: Buffer,
  shifts: readonly (readonly [number, number])[],
): Promise<Difference[]> {
  const texts = [a, b].map((bytes) => `data:image/png;base64,${bytes.toString('base64')}`);
  return page.evaluate(
    async ([images, moves, tolerance]) => {
      const pixels = async (source: string) => {
        const image = new Image();
        image.src = source;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d');
        context?.drawImage(image, 0, 0);
        return context?.getImageData(0, 0, image.width, image.height) as ImageData;
      };
      const [one, other] = [await pixels(images[0]), await pixels(images[1])];
      const MARGIN = 8;
      return moves.map(([dx, dy]) => {
        let [sum, others, n] = [0, 0, 0];
        for (let y = MARGIN; y < one.height - MARGIN; y += 1) {
          for (let x = MARGIN; x < one.width - MARGIN; x += 1) {
            const at = (y * one.width + x) * 4;
            const there = ((y + dy) * one.width + x + dx) * 4;
            let most = 0;
            for (let color = 0; color < 3; color += 1) {
              const far = Math.abs((one.data[at + color] ?? 0) - (other.data[there + color] ?? 0));
              sum += far;
              most = Math.max(most, far);
            }
            if (most > tolerance) others += 1;
            n += 1;
          }
        }
        return { mean: sum / (3 * n), others: others / n };
      });
    },
    [texts, shifts, TOLERANCE] as const,
  );
}
