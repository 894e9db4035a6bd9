import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Trapezoid, trapezoids } from './trapezoids';

function area(pieces: readonly Trapezoid[]): number {
  const of = (piece: Trapezoid) => {
    const left = piece.leftBottom - piece.leftTop;
    const right = piece.rightBottom - piece.rightTop;
    return ((left + right) / 2) * (piece.right - piece.left);
  };
  return pieces.reduce((sum, piece) => sum + of(piece), 0);
}

/** The shoelace formula, for outlines that do not cross themselves. */
function shoelace(x: readonly number[], y: readonly number[]): number {
  const twice = x.reduce((sum, at, place) => {
    const next = (place + 1) % x.length;
    return sum + at * y[next] - x[next] * y[place];
  }, 0);
  return Math.abs(twice / 2);
}

it('cuts a triangle in two', () => {
  const pieces = trapezoids(new Float32Array([0, 2, 4]), new Float32Array([4, 0, 4]));
  expect(pieces).toHaveLength(2);
  expect(area(pieces)).toBe(8);
});

it('leaves out what is hollow by the even-odd rule', () => {
  // Two squares of the same turn, one inside the other, joined by a seam.
  const x = [0, 6, 6, 0, 0, 2, 4, 4, 2, 2];
  const y = [0, 0, 6, 6, 0, 2, 2, 4, 4, 2];
  expect(area(trapezoids(new Float32Array(x), new Float32Array(y)))).toBe(32);
});

it('covers the area under any stairs', () => {
  const heights = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(heights, (heights) => {
      const x = heights.flatMap((_, place) => [place, place + 1]);
      const y = heights.flatMap((height) => [100 - height, 100 - height]);
      const [closedX, closedY] = [
        [...x, heights.length, 0],
        [...y, 100, 100],
      ];
      const pieces = trapezoids(new Float32Array(closedX), new Float32Array(closedY));
      expect(area(pieces)).toBeCloseTo(shoelace(closedX, closedY), 6);
    }),
  );
});
