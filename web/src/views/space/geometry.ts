// The marks of a scene in space as triangles: one merged mesh for each way of drawing.

import { BASE_KIND, type Bands, NONE, type Solid } from '../../api/solid';
import { faded } from '../../lib/color';
import { Strokes, Surfaces } from './mesh';
import { legsOf, type Places } from './places';

/** The boxes of states: eight corners each. Faces and edges are found by the graphics card. */
export interface BoxMesh {
  readonly positions: Float32Array;
  /** Which corner a vertex is: 0 or 255 along each axis. */
  readonly corners: Uint8Array;
  readonly colors: Uint8Array;
  readonly indices: Uint32Array;
}

export const BOX_VERTICES = 8;
/** Five sides: the one below is never seen. Counter-clockwise from outside. */
const BOX_TRIANGLES: readonly number[] = [
  ...[4, 5, 7, 4, 7, 6], // above
  ...[0, 1, 5, 0, 5, 4], // y0
  ...[3, 2, 6, 3, 6, 7], // y1
  ...[2, 0, 4, 2, 4, 6], // x0
  ...[1, 3, 7, 1, 7, 5], // x1
];
export const BOX_INDICES = BOX_TRIANGLES.length;

export function boxMesh({ boxes, nodes }: Solid, places: Places): BoxMesh {
  const { n } = boxes;
  const positions = new Float32Array(n * BOX_VERTICES * 3);
  const corners = new Uint8Array(n * BOX_VERTICES * 4);
  const colors = new Uint32Array(n * BOX_VERTICES);
  for (let box = 0; box < n; box += 1) {
    const node = boxes.node[box];
    const radius = nodes.radius[node] * boxes.radius[box];
    for (let corner = 0; corner < BOX_VERTICES; corner += 1) {
      const vertex = box * BOX_VERTICES + corner;
      const [right, back, up] = [corner & 1, (corner >> 1) & 1, corner >> 2];
      positions[vertex * 3] = places.x[node] + (right * 2 - 1) * radius;
      positions[vertex * 3 + 1] = places.y[node] + (back * 2 - 1) * radius;
      positions[vertex * 3 + 2] = up === 0 ? boxes.z0[box] : boxes.z1[box];
      corners.set([right * 255, back * 255, up * 255], vertex * 4);
      colors[vertex] = boxes.color[box];
    }
  }
  const order = Array.from({ length: n }, (_, box) => box);
  const indices = boxIndices(order);
  return { positions, corners, colors: new Uint8Array(colors.buffer), indices };
}

export function boxIndices(order: readonly number[]): Uint32Array {
  const indices = new Uint32Array(order.length * BOX_INDICES);
  let at = 0;
  for (const box of order) {
    const first = box * BOX_VERTICES;
    for (const corner of BOX_TRIANGLES) {
      indices[at] = first + corner;
      at += 1;
    }
  }
  return indices;
}

/**
 * The boxes from the farthest to the nearest, so that those in front can be seen through. Columns
 * do not lie in each other, and the eye is above, so that a column goes from below to above.
 */
export function fromBehind(
  { boxes }: Solid,
  places: Places,
  away: { readonly x: number; readonly y: number },
): readonly number[] {
  const far = (box: number) => {
    const node = boxes.node[box];
    return places.x[node] * away.x + places.y[node] * away.y;
  };
  const order = Array.from({ length: boxes.n }, (_, box) => box);
  return order.sort((a, b) => far(b) - far(a) || boxes.z0[a] - boxes.z0[b]);
}

export interface BaseColors {
  readonly floor: number;
  readonly axis: number;
}

/** Edges of cells and of nodes, in base units and as a share of the radius. */
const CELL_EDGE = 0.004;
const NODE_EDGE = 0.08;
const LEAST_BAND = 0.003;
const ROUND_CORNERS = 20;
const GROUP_CORNERS = 48;
const GROUP_EDGE = 0.003;

/** All that lies on the base, in the order in which it is painted. */
export function baseMesh(
  solid: Solid,
  places: Places,
  colors: BaseColors,
  showsEdges: boolean,
): Surfaces {
  const mesh = new Surfaces();
  const rectangle = (x0: number, y0: number, x1: number, y1: number, color: number) =>
    mesh.polygon(square(x0, y0, x1, y1), color);
  rectangle(-1, -1, 1, 1, colors.floor);
  const { cells } = solid;
  for (let cell = 0; cell < cells.n; cell += 1) {
    const { x0, y0, x1, y1 } = cells;
    rectangle(x0[cell], y0[cell], x1[cell], y1[cell], cells.edge[cell] || cells.fill[cell]);
    const inset = Math.min(CELL_EDGE, (x1[cell] - x0[cell]) / 4, (y1[cell] - y0[cell]) / 4);
    if (cells.edge[cell] === 0) continue;
    rectangle(
      x0[cell] + inset,
      y0[cell] + inset,
      x1[cell] - inset,
      y1[cell] - inset,
      cells.fill[cell],
    );
  }
  addBands(mesh, solid.cables, places);
  if (showsEdges) addBands(mesh, solid.edges, places);
  addGroups(mesh, solid, places, colors);
  for (const stands of [false, true]) addPlates(mesh, solid, places, colors, stands);
  return mesh;
}

function square(x0: number, y0: number, x1: number, y1: number) {
  return [
    [x0, y0, 0],
    [x1, y0, 0],
    [x1, y1, 0],
    [x0, y1, 0],
  ] as const;
}

function addBands(mesh: Surfaces, bands: Bands, places: Places): void {
  for (let band = 0; band < bands.n; band += 1) {
    const corners = bandCorners(bands, places, band);
    if (corners !== null) mesh.polygon(corners, bands.color[band]);
  }
}

/** The corners of a flat band; `null` if both ends are in the same place. */
export function bandCorners(
  bands: Bands,
  { x, y }: Places,
  band: number,
): readonly (readonly [number, number, number])[] | null {
  const [a, b] = [bands.a[band], bands.b[band]];
  const [dx, dy] = [x[b] - x[a], y[b] - y[a]];
  const length = Math.hypot(dx, dy);
  if (length < 1e-9) return null;
  const half = Math.max(bands.width[band], LEAST_BAND) / 2 / length;
  const [across, up] = [dy * half, -dx * half];
  return [
    [x[a] + across, y[a] + up, 0],
    [x[b] + across, y[b] + up, 0],
    [x[b] - across, y[b] - up, 0],
    [x[a] - across, y[a] - up, 0],
  ];
}

/** The groups of a network, those around others first. */
function addGroups(mesh: Surfaces, { nodes }: Solid, places: Places, colors: BaseColors): void {
  for (let node = 0; node < nodes.n; node += 1) {
    if (nodes.baseKind[node] !== BASE_KIND.group) continue;
    const radius = nodes.radius[node];
    const [x, y] = [places.x[node], places.y[node]];
    mesh.polygon(plateCorners(x, y, radius, true, GROUP_CORNERS), colors.axis);
    mesh.polygon(plateCorners(x, y, radius - GROUP_EDGE, true, GROUP_CORNERS), nodes.fill[node]);
  }
}

/** The nodes of the base; those that others stand on come first. */
function addPlates(
  mesh: Surfaces,
  { nodes }: Solid,
  places: Places,
  colors: BaseColors,
  stands: boolean,
): void {
  for (let node = 0; node < nodes.n; node += 1) {
    const kind = nodes.baseKind[node];
    if (kind === BASE_KIND.group) continue;
    if ((nodes.on[node] !== NONE) !== stands) continue;
    const isRound = kind !== BASE_KIND.container && kind !== BASE_KIND.host;
    const plate = (radius: number, color: number) =>
      mesh.polygon(plateCorners(places.x[node], places.y[node], radius, isRound), color);
    plate(nodes.radius[node], colors.axis);
    plate(nodes.radius[node] * (1 - NODE_EDGE), nodes.fill[node]);
  }
}

function plateCorners(
  x: number,
  y: number,
  radius: number,
  isRound: boolean,
  nCorners = ROUND_CORNERS,
) {
  if (!isRound) return square(x - radius, y - radius, x + radius, y + radius);
  return Array.from({ length: nCorners }, (_, corner) => {
    const angle = (corner / nCorners) * 2 * Math.PI;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle), 0] as const;
  });
}

/** Few arrows are so opaque; more of them are fainter, so that what they cross stays visible. */
const ARROW_OPACITY = { least: 0.15, most: 0.85 } as const;
const FEW_ARROWS = 100;
const POST_WIDTH = 1.2;
const HEAD = { least: 5, perWidth: 3 } as const;

export function headLength(width: number): number {
  return HEAD.least + HEAD.perWidth * width;
}

/** Links, events, and the outlines of variables. */
export function strokeMesh(solid: Solid, places: Places): Strokes {
  const strokes = new Strokes();
  const { arrows, marks, nodes } = solid;
  for (let node = 0; node < nodes.n; node += 1) {
    if (nodes.baseKind[node] !== BASE_KIND.middle) continue;
    // A post, at which bundles begin and end.
    const [x, y] = [places.x[node], places.y[node]];
    strokes.line([x, y, 0], [x, y, 1], POST_WIDTH, nodes.fill[node]);
  }
  const crowd = Math.sqrt(FEW_ARROWS / Math.max(arrows.n, FEW_ARROWS));
  const opacity = Math.max(ARROW_OPACITY.most * crowd, ARROW_OPACITY.least);
  for (let arrow = 0; arrow < arrows.n; arrow += 1) {
    const color = faded(arrows.color[arrow], opacity);
    const head = headLength(arrows.width[arrow]);
    for (const { from, to, ends } of legsOf(solid, places, arrow)) {
      strokes.line(from, to, arrows.width[arrow], color, ends ? head * 0.8 : 0);
      if (ends) strokes.head(from, to, head, color);
    }
  }
  addRibbonLines(strokes, solid, places);
  for (let mark = 0; mark < marks.n; mark += 1) {
    const node = marks.node[mark];
    const x = places.x[node] + nodes.radius[node] * MARK_BESIDE;
    strokes.dot([x, places.y[node], marks.z[mark]], MARK_PX, marks.color[mark]);
  }
  return strokes;
}

/** Events are beside their node, not inside its boxes. */
export const MARK_BESIDE = 1.05;
export const MARK_PX = 5;
const RIBBON_PX = 1.2;
const RIBBON_OPACITY = 0.5;

/** Steps of a variable: the distance from the side of its node is the value. */
function* stepsOf({ ribbons, nodes }: Solid, places: Places, ribbon: number) {
  const node = ribbons.node[ribbon];
  const side = places.x[node] + nodes.radius[node];
  const end = ribbons.firstPoint[ribbon + 1];
  for (let point = ribbons.firstPoint[ribbon]; point < end; point += 1) {
    yield {
      side,
      x: side + nodes.radius[node] * Math.max(ribbons.value[point], 0),
      y: places.y[node],
      z0: ribbons.z[point],
      z1: point + 1 < end ? ribbons.z[point + 1] : 1,
    };
  }
}

function addRibbonLines(strokes: Strokes, solid: Solid, places: Places): void {
  for (let ribbon = 0; ribbon < solid.ribbons.n; ribbon += 1) {
    const color = solid.ribbons.color[ribbon];
    let before: number | null = null;
    for (const { x, y, z0, z1 } of stepsOf(solid, places, ribbon)) {
      if (before !== null) strokes.line([before, y, z0], [x, y, z0], RIBBON_PX, color);
      strokes.line([x, y, z0], [x, y, z1], RIBBON_PX, color);
      before = x;
    }
  }
}

/** The faces between nodes and the outlines of their variables. */
export function ribbonMesh(solid: Solid, places: Places): Surfaces {
  const mesh = new Surfaces();
  for (let ribbon = 0; ribbon < solid.ribbons.n; ribbon += 1) {
    const color = faded(solid.ribbons.color[ribbon], RIBBON_OPACITY);
    for (const { side, x, y, z0, z1 } of stepsOf(solid, places, ribbon)) {
      mesh.polygon(
        [
          [side, y, z0],
          [x, y, z0],
          [x, y, z1],
          [side, y, z1],
        ],
        color,
      );
    }
  }
  return mesh;
}
