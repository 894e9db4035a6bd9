// The size at which the page is read. Its root is zoomed by it: places of pointers and boxes are told
// in pixels of the screen, and divided by this they are those of the page.

export const READING_SIZES = [1, 1.25, 1.5] as const;

export function readingSize(): number {
  return Number(document.documentElement.style.zoom) || 1;
}

export function setReadingSize(size: number): void {
  const { style } = document.documentElement;
  style.zoom = String(size);
  // Lengths of the window count in pixels of the screen.
  style.setProperty('--reading', String(size));
}
