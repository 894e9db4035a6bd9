// A scene in space on the graphics card: what has changed is made anew, the rest stays there.

import type { Solid } from '../../api/solid';
import { parseHex } from '../../lib/color';
import { clamp } from '../../lib/number';
import { statisticsOf } from '../../paint/statistics';
import { backgroundOf, type CanvasColors } from '../stage/colors';
import { CANVAS } from './canvas';
import { baseMesh, boxIndices, boxMesh, fromBehind, ribbonMesh, strokeMesh } from './geometry';
import type { PlacedSolid, SpaceHit, SpaceKind } from './hit';
import { Strokes } from './mesh';
import { addOutline } from './outline';
import type { Places } from './places';
import type { SpaceRenderer } from './renderer';
import { type Level, roomOf } from './room';
import { addRoute, type ShownRoute } from './route';

export interface SpaceFrame extends PlacedSolid {
  readonly colors: CanvasColors;
  readonly opacity: number;
  readonly emphasis: number | null;
  /** Round times and marks as they are seen. */
  readonly ruler: Solid['ruler'];
  readonly levels: readonly Level[];
  readonly hovered: SpaceHit | null;
  readonly selected: readonly { readonly kind: SpaceKind; readonly mark: number }[];
  /** The way of the selected message over the network. */
  readonly route: ShownRoute | null;
  /** Fewer pixels, while the scene moves. */
  readonly isCoarse: boolean;
}

const HOVER_PX = 1.5;
const SELECTED_PX = 2.5;
/** Arrows are so opaque while a value is emphasised, and seen along time: edges say the same. */
const FAINT = { emphasis: 0.35, top: 0.2 } as const;

/** Pixels across of a coarse picture for each of a fine one. */
const COARSE = 0.5;

export class Picture {
  private size = { width: 0, height: 0, pixelRatio: 1 };
  private isCoarse = false;
  private drawn: { solid: Solid; places: Places; colors: CanvasColors; edges: boolean } | null =
    null;
  /** The direction for which boxes lie in order; `null` while that does not matter. */
  private sorted: number | null = null;

  constructor(private readonly renderer: SpaceRenderer) {}

  resize(width: number, height: number, pixelRatio: number): void {
    this.size = { width, height, pixelRatio };
    this.applySize();
  }

  private applySize(): void {
    const { width, height, pixelRatio } = this.size;
    this.renderer.resize(width, height, this.isCoarse ? pixelRatio * COARSE : pixelRatio);
  }

  draw(shown: SpaceFrame): void {
    if (shown.isCoarse !== this.isCoarse) {
      this.isCoarse = shown.isCoarse;
      this.applySize();
    }
    this.load(shown);
    this.sort(shown);
    const { walls, lines } = roomOf(shown.view, shown.ruler, shown.levels, shown.colors);
    this.renderer.setSurfaces('walls', walls);
    this.renderer.setStrokes('lines', lines);
    this.renderer.setStrokes('outlines', outlines(shown));
    this.renderer.draw({
      view: shown.view,
      time: shown.time,
      background: backgroundOf(shown.colors),
      emphasis: shown.emphasis,
      opacity: shown.opacity,
      strokeOpacity: strokeOpacity(shown),
    });
  }

  dispose(): void {
    this.renderer.dispose();
  }

  private load({ solid, places, colors, showsEdges: edges }: SpaceFrame): void {
    const { drawn } = this;
    const isSame = drawn?.solid === solid && drawn.places === places;
    if (isSame && drawn.colors === colors && drawn.edges === edges) return;
    const begin = performance.now();
    const of = (name: keyof CanvasColors) => parseHex(colors[name]) ?? 0xff808080;
    const looks = { floor: of('raised'), axis: of('axis') };
    this.renderer.setSurfaces('base', baseMesh(solid, places, looks, edges));
    if (!isSame) {
      this.renderer.setBoxes(boxMesh(solid, places));
      this.renderer.setSurfaces('ribbons', ribbonMesh(solid, places));
      this.renderer.setStrokes('strokes', strokeMesh(solid, places));
      this.sorted = null;
    }
    this.drawn = { solid, places, colors, edges };
    statisticsOf(CANVAS).loadMs = performance.now() - begin;
  }

  /** Boxes that are seen through are drawn from behind. */
  private sort({ solid, places, view, opacity }: SpaceFrame): void {
    const { azimuth } = view.camera;
    if (opacity >= 1 || this.sorted === azimuth) return;
    this.renderer.setBoxOrder(boxIndices(fromBehind(solid, places, view.away)));
    this.sorted = azimuth;
  }
}

function strokeOpacity({ emphasis, view, showsEdges }: SpaceFrame): number {
  if (emphasis !== null) return FAINT.emphasis;
  return showsEdges ? clamp(2 * view.cosine, FAINT.top, 1) : 1;
}

function outlines(shown: SpaceFrame): Strokes {
  const strokes = new Strokes();
  const [text, accent] = [parseHex(shown.colors.text), parseHex(shown.colors.accent)];
  if (text === null || accent === null) return strokes;
  if (shown.route !== null) {
    addRoute(strokes, shown, shown.route, accent, parseHex(shown.colors.background) ?? text);
  }
  for (const { kind, mark } of shown.selected) {
    addOutline(strokes, shown, kind, mark, SELECTED_PX, accent);
  }
  if (shown.hovered !== null) {
    addOutline(strokes, shown, shown.hovered.kind, shown.hovered.mark, HOVER_PX, text);
  }
  return strokes;
}
