// A PNG with a palette of 256 colours: a third of what a browser writes, and enough for a screenshot.

import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

interface Indexed {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each colour. */
  readonly palette: readonly number[];
  /** The colour of each pixel, a character each. */
  readonly pixels: string;
}

/** The same picture with its 256 most frequent colours; any page decodes it. */
export async function smallPng(page: Page, png: Buffer): Promise<Buffer> {
  const { width, height, palette, pixels } = await page.evaluate(indexed, png.toString('latin1'));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a pixel, with a palette.
  header.set([8, 3], 8);
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from(`\0${pixels.slice(y * width, (y + 1) * width)}`, 'latin1'),
  );
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}

/** Runs in the page. */
async function indexed(png: string): Promise<Indexed> {
  const bytes = Uint8Array.from(png, (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d');
  if (context === null) throw new Error('no canvas');
  context.drawImage(bitmap, 0, 0);
  const colors = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const frequent = [...counts].sort(([a, n], [b, m]) => m - n || a - b).slice(0, 256);
  const parts = (color: number) => [color & 255, (color >> 8) & 255, (color >> 16) & 255];
  const palette = frequent.map(([color]) => parts(color));
  const places = new Map<number, string>();
  for (const color of counts.keys()) {
    const own = parts(color);
    const distances = palette.map((other) =>
      other.reduce((sum, part, at) => sum + (part - (own[at] ?? 0)) ** 2, 0),
    );
    places.set(color, String.fromCharCode(distances.indexOf(Math.min(...distances))));
  }
  const pixels = Array.from(colors, (color) => places.get(color) ?? '\0').join('');
  return { width, height, palette: palette.flat(), pixels };
}
