// Levels of a treemap: depths from the root, and below them the leaves, which are `null`.

/** One level up or down; the deepest level and the leaves are the same picture. */
export function levelAfter(depth: number | null, step: -1 | 1, nLevels: number): number | null {
  const deepest = nLevels - 1;
  const now = depth === null ? deepest : Math.min(depth, deepest);
  const next = Math.max(now + step, 0);
  return next >= deepest ? null : next;
}

/** A depth that there is: another trace or lens may have fewer levels. */
export function depthWithin(depth: number | null, nLevels: number): number | null {
  return depth === null || depth >= nLevels ? null : depth;
}
