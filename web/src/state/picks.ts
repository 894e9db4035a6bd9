// Picks that the page makes itself: 4 bits of kind, 28 bits, 32 bits, as in docs/http-api.md.

const KIND_SHIFT = 60n;
const NODE = 2n;
const VALUE = 3n;
const SHARE = 4n;
const PAIR = 5n;
const FIRST_SHIFT = 32n;
const FIRST_BITS = 0xfffffffn;
const SECOND_BITS = 0xffffffffn;

export function nodePick(node: number): string {
  return ((NODE << KIND_SHIFT) | BigInt(node)).toString();
}

export function valuePick(value: number): string {
  return ((VALUE << KIND_SHIFT) | BigInt(value)).toString();
}

/** The node that a pick is, if it is one. */
export function nodeOf(pick: string): number | null {
  const bits = BigInt(pick);
  return bits >> KIND_SHIFT === NODE ? Number(bits & SECOND_BITS) : null;
}

/** The rows and the value that a pick stands for. */
export function meaningOf(pick: string): {
  readonly nodes: readonly number[];
  readonly value: number | null;
} {
  const bits = BigInt(pick);
  const first = Number((bits >> FIRST_SHIFT) & FIRST_BITS);
  const second = Number(bits & SECOND_BITS);
  switch (bits >> KIND_SHIFT) {
    case NODE:
      return { nodes: [second], value: null };
    case VALUE:
      return { nodes: [], value: second };
    case SHARE:
      return { nodes: [second], value: first };
    case PAIR:
      return { nodes: first === second ? [first] : [first, second], value: null };
    default:
      return { nodes: [], value: null };
  }
}

/** Can the server say something about it? Of pairs and areas only the picture knows. */
export function isInspectable(pick: string): boolean {
  const kind = BigInt(pick) >> KIND_SHIFT;
  return kind > 0n && kind <= SHARE;
}
