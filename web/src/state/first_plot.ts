// Where the plot of the page is before the page is there: the picture that the server sends lies on
// it, and the first scene is asked for in its size. The style sheets lay the page out in the same way.

import type { Size } from '../lib/geometry';
import type { Panels } from './types';

export interface PlotBox extends Size {
  readonly left: number;
  readonly top: number;
}

/** Sizes that were chosen on this machine; `null` for the usual ones. */
export interface ChosenSizes {
  readonly inspector: number | null;
  readonly bottom: number | null;
  readonly tree: number | null;
}

/** What the server tells about the picture in the page. */
export interface FirstPicture {
  readonly trace: string;
  readonly rows: string;
  readonly isMarked: boolean;
}

/** What an address says about the first view. */
export interface FirstView {
  /** The picture shows what the address names. */
  readonly isPictured: boolean;
  readonly panels: Pick<Panels, 'inspector' | 'bottom'>;
  readonly isMarked: boolean;
}

const [BAR, MINIMAP, TABS, RULER, MARKS, STATUS, BORDER] = [40, 44, 31, 25, 18, 26, 1];
export const USUAL_TREE_WIDTH = 190;

export function usualInspectorWidth({ width }: Size): number {
  return Math.min(300, width * 0.3, Math.max(220, width * 0.2));
}

/** In a lower window, the panels at the foot begin folded: most of it is for the picture. */
const LOW_PAGE = 760;

/** The panels that a page begins with, as an address has them. */
export function usualPanels({ height }: Size): string {
  return height < LOW_PAGE ? 'inspector.legend' : 'inspector.bottom.legend';
}

export function usualBottomHeight(page: Size): number {
  return Math.min(240, page.height * 0.3);
}

export function placeOfPlot(
  page: Size,
  chosen: ChosenSizes,
  { panels, isMarked }: Pick<FirstView, 'panels' | 'isMarked'>,
): PlotBox {
  const left = (chosen.tree ?? USUAL_TREE_WIDTH) + BORDER;
  const top = BAR + MINIMAP + TABS + RULER + (isMarked ? MARKS : 0);
  const inspector = Math.min(chosen.inspector ?? usualInspectorWidth(page), page.width / 2);
  const bottom = Math.min(chosen.bottom ?? usualBottomHeight(page), page.height * 0.6);
  const right = panels.inspector ? inspector : 0;
  const below = STATUS + (panels.bottom ? bottom : TABS);
  return { left, top, width: page.width - right - left, height: page.height - below - top };
}

/** Parts of an address that lead elsewhere, or draw something over the picture. */
const ELSEWHERE = [
  ...['window', 'lens', 'pick', 'at', 'span', 'nodes', 'range', 'value', 'lasting'],
  ...['depth', 'open', 'closed', 'y', 'deep', 'overlay', 'beside'],
];
const USUAL_VIEWS = 'timeline';

/** `views` are those of the last visit, as an address has them; so are `usual` panels. */
export function firstView(
  fragment: string,
  picture: FirstPicture | null,
  views: string | null,
  usual: string,
): FirstView {
  const parts = new URLSearchParams(fragment.replace(/^#/, ''));
  const is = (name: string, usual: string) => (parts.get(name) ?? usual) === usual;
  const isPictured =
    picture !== null &&
    is('trace', picture.trace) &&
    is('rows', picture.rows) &&
    (parts.get('views') ?? views ?? USUAL_VIEWS) === USUAL_VIEWS &&
    is('links', 'selection') &&
    ELSEWHERE.every((name) => !parts.has(name));
  const panels = (parts.get('panels') ?? usual).split('.');
  return {
    isPictured,
    panels: { inspector: panels.includes('inspector'), bottom: panels.includes('bottom') },
    isMarked: (picture?.isMarked ?? false) || (parts.get('marks') ?? '') !== '',
  };
}

/** How the server learns which size the next first picture has: see `front.rs`. */
export function plotCookie({ width, height }: Size, theme: string | null): string {
  const chosen = theme === null ? '' : `.${theme}`;
  return `onca-plot=${width}x${height}${chosen}; Path=/; Max-Age=31536000; SameSite=Strict`;
}

/** A picture that takes longer is not waited for. */
const PICTURE_MS = 150;

/** Resolves when the picture of the server is on the screen, or will not be soon. */
export async function firstPictureSeen(): Promise<void> {
  const image = document.querySelector<HTMLImageElement>(':root[data-first] #first img');
  if (image === null) return;
  const late = new Promise<void>((resolve) => setTimeout(resolve, PICTURE_MS));
  const drawn = async () => {
    await image.decode();
    // The first frame after it has the picture; whoever waits for the second knows that it was made.
    await nextFrame();
    await nextFrame();
  };
  await Promise.race([drawn().catch(() => undefined), late]);
}

function nextFrame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

/** The mark of the moment at which the canvas first shows the trace. */
export const FIRST_CANVAS = 'onca-canvas';
let isCanvasDrawn = false;

export function canvasDrawn(): void {
  if (isCanvasDrawn) return;
  isCanvasDrawn = true;
  performance.mark(FIRST_CANVAS);
  removeFirstPicture();
}

/** Takes the picture of the server away: the canvas shows the same now, or something else has to. */
export function removeFirstPicture(): void {
  document.getElementById('first')?.remove();
}
