// Triangles in the making: vertices are added one by one, and become arrays for the graphics card.

/** Triangles of one colour each vertex. `z` is a share of the time axis. */
export class Surfaces {
  readonly positions: number[] = [];
  readonly colors: number[] = [];
  readonly indices: number[] = [];

  vertex(x: number, y: number, z: number, color: number): number {
    this.positions.push(x, y, z);
    pushColor(this.colors, color);
    return this.positions.length / 3 - 1;
  }

  /** Corners in turn. */
  polygon(corners: readonly (readonly [number, number, number])[], color: number): void {
    const [first, ...rest] = corners.map(([x, y, z]) => this.vertex(x, y, z, color));
    for (let corner = 1; corner < rest.length; corner += 1) {
      this.indices.push(first ?? 0, rest[corner - 1] ?? 0, rest[corner] ?? 0);
    }
  }
}

type Spot = readonly [number, number, number];

/** Lines and marks whose width is in pixels, whatever the zoom. */
export class Strokes {
  readonly at: number[] = [];
  /** The other end: it gives the direction. */
  readonly toward: number[] = [];
  /** Pixels across and along that direction. */
  readonly offsets: number[] = [];
  readonly colors: number[] = [];
  readonly indices: number[] = [];

  private vertex(at: Spot, toward: Spot, across: number, along: number, color: number): void {
    this.at.push(...at);
    this.toward.push(...toward);
    this.offsets.push(across, along);
    pushColor(this.colors, color);
  }

  private get next(): number {
    return this.at.length / 3;
  }

  /** `cut` pixels are left out at the end, where a head is. */
  line(from: Spot, to: Spot, width: number, color: number, cut = 0): void {
    const first = this.next;
    const half = width / 2;
    this.vertex(from, to, half, 0, color);
    this.vertex(from, to, -half, 0, color);
    // Seen from the other end, left is right.
    this.vertex(to, from, -half, cut, color);
    this.vertex(to, from, half, cut, color);
    this.indices.push(first, first + 1, first + 2, first + 2, first + 1, first + 3);
  }

  head(from: Spot, to: Spot, length: number, color: number): void {
    const first = this.next;
    this.vertex(to, from, 0, 0, color);
    this.vertex(to, from, length * 0.4, length, color);
    this.vertex(to, from, -length * 0.4, length, color);
    this.indices.push(first, first + 1, first + 2);
  }

  /** A square around a place; the size is in pixels. */
  dot(at: Spot, size: number, color: number): void {
    const first = this.next;
    const half = size / 2;
    for (const [across, along] of CORNERS) this.vertex(at, at, across * half, along * half, color);
    this.indices.push(first, first + 1, first + 2, first + 2, first + 1, first + 3);
  }
}

const CORNERS = [
  [-1, -1],
  [1, -1],
  [-1, 1],
  [1, 1],
] as const;

function pushColor(colors: number[], color: number): void {
  colors.push(color & 255, (color >>> 8) & 255, (color >>> 16) & 255, color >>> 24);
}
