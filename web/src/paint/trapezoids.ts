// Outlines cut into trapezoids with upright sides: any outline, also hollow or crossing ones, by
// the even-odd rule. Areas under curves have two edges in every slab, so this is quick for them.

export interface Trapezoid {
  readonly left: number;
  readonly right: number;
  readonly leftTop: number;
  readonly rightTop: number;
  readonly leftBottom: number;
  readonly rightBottom: number;
}

interface Edge {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export function trapezoids(x: Float32Array, y: Float32Array): Trapezoid[] {
  const edges = edgesOf(x, y);
  const borders = [...new Set(edges.flatMap((edge) => [edge.x0, edge.x1]))].sort((a, b) => a - b);
  const pieces: Trapezoid[] = [];
  let active: Edge[] = [];
  let next = 0;
  for (let slab = 0; slab + 1 < borders.length; slab += 1) {
    const [left, right] = [borders[slab], borders[slab + 1]];
    active = active.filter((edge) => edge.x1 > left);
    while (next < edges.length && edges[next].x0 <= left) {
      active.push(edges[next]);
      next += 1;
    }
    addSlab(pieces, active, left, right);
  }
  return pieces;
}

/** All edges but upright ones, from left to right. */
function edgesOf(x: Float32Array, y: Float32Array): Edge[] {
  const edges: Edge[] = [];
  for (let from = 0; from < x.length; from += 1) {
    const to = (from + 1) % x.length;
    if (x[from] < x[to]) edges.push({ x0: x[from], y0: y[from], x1: x[to], y1: y[to] });
    if (x[from] > x[to]) edges.push({ x0: x[to], y0: y[to], x1: x[from], y1: y[from] });
  }
  return edges.sort((a, b) => a.x0 - b.x0);
}

function addSlab(pieces: Trapezoid[], active: readonly Edge[], left: number, right: number): void {
  const middle = (left + right) / 2;
  const crossing = [...active].sort((a, b) => heightAt(a, middle) - heightAt(b, middle));
  for (let pair = 0; pair + 1 < crossing.length; pair += 2) {
    const [top, bottom] = [crossing[pair], crossing[pair + 1]];
    pieces.push({
      left,
      right,
      leftTop: heightAt(top, left),
      rightTop: heightAt(top, right),
      leftBottom: heightAt(bottom, left),
      rightBottom: heightAt(bottom, right),
    });
  }
}

function heightAt(edge: Edge, x: number): number {
  return edge.y0 + ((edge.y1 - edge.y0) * (x - edge.x0)) / (edge.x1 - edge.x0);
}
