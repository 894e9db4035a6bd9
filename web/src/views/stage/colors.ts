// The colours of the theme for canvases, from the same tokens that the rest of the page has.

import { parseHex } from '../../lib/color';
import type { Theme } from '../../state/types';

export interface CanvasColors {
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  readonly axis: string;
  readonly grid: string;
  readonly accent: string;
  readonly veil: string;
  readonly raised: string;
}

const NAMES = ['background', 'text', 'muted', 'axis', 'grid', 'accent', 'veil', 'raised'] as const;

const known = new Map<Theme, CanvasColors>();

/** Reading styles makes the browser lay out the page: once for each theme is enough. */
export function canvasColors(theme: Theme): CanvasColors {
  const colors = known.get(theme) ?? readColors();
  // There is nothing to remember before the style sheet is there.
  if (colors.background !== '') known.set(theme, colors);
  return colors;
}

function readColors(): CanvasColors {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return Object.fromEntries(NAMES.map((name) => [name, value(name)])) as Record<
    (typeof NAMES)[number],
    string
  >;
}

/** The background as a colour of a scene. */
export function backgroundOf(colors: CanvasColors): number {
  return parseHex(colors.background) ?? 0xffffffff;
}
