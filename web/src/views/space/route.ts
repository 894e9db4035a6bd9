// The way of the selected message over the network: along its links on the base, and through time.

import { BASE_KIND, NONE, type Solid } from '../../api/solid';
import type { Inspection } from '../../api/types';
import { spanOf } from '../../lib/window';
import type { PlacedSolid } from './hit';
import type { Strokes } from './mesh';
import { legsOver } from './places';

export interface ShownRoute {
  /** The places of the nodes, from the one that sends. */
  readonly places: readonly number[];
  /** When it leaves and when it arrives, as shares of the window of the scene. */
  readonly za: number;
  readonly zb: number;
}

const WIDTH = { floor: 4, rim: 6, message: 2.5 } as const;
const HEAD = { floor: 11, message: 10 } as const;
/** Where on a link the direction is shown. */
const HEAD_PLACE = 0.72;
const NETWORK: readonly number[] = [BASE_KIND.host, BASE_KIND.switch, BASE_KIND.wire];

/** `null` where the scene has no network, or the message crosses none of its links. */
export function routeOf(solid: Solid, about: Inspection | null): ShownRoute | null {
  if (about?.route == null || about.start === null || about.end === null) return null;
  const { nodes, texts, window } = solid;
  const known = new Map<string, number>();
  for (let place = 0; place < nodes.n; place += 1) {
    const isOfNetwork = nodes.node[place] === NONE && NETWORK.includes(nodes.baseKind[place]);
    if (isOfNetwork) known.set(texts[nodes.text[place]] ?? '', place);
  }
  const places = about.route.nodes.map((name) => known.get(name)).filter((at) => at !== undefined);
  if (places.length < 2 || places.length < about.route.nodes.length) return null;
  const share = (time: number) => (time - window.from) / spanOf(window);
  return { places, za: share(about.start), zb: share(about.end) };
}

export function addRoute(
  strokes: Strokes,
  { solid, places }: Pick<PlacedSolid, 'solid' | 'places'>,
  route: ShownRoute,
  color: number,
  rim: number,
): void {
  const legs = route.places.slice(1).map((to, leg) => [route.places[leg] ?? to, to] as const);
  const spot = (place: number) => [places.x[place], places.y[place], 0] as const;
  for (const [from, to] of legs) strokes.line(spot(from), spot(to), WIDTH.rim, rim);
  for (const [from, to] of legs) strokes.line(spot(from), spot(to), WIDTH.floor, color);
  for (const [from, to] of legs) {
    const [a, b] = [spot(from), spot(to)];
    // Beyond the middle, where numbers of links are.
    const at = (from: number, to: number) => from + HEAD_PLACE * (to - from);
    const point = [at(a[0], b[0]), at(a[1], b[1]), 0] as const;
    strokes.head(a, point, HEAD.floor, color);
  }
  for (const leg of legsOver(solid.nodes.radius, places, route.places, route.za, route.zb)) {
    strokes.line(leg.from, leg.to, WIDTH.message, color);
    if (leg.ends) strokes.head(leg.from, leg.to, HEAD.message, color);
  }
}
