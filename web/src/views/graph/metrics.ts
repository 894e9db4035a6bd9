// What the width of an edge between two nodes can show.

export const GRAPH_METRICS = ['bytes', 'count'] as const;

export const METRIC_TITLES: Readonly<Record<(typeof GRAPH_METRICS)[number], string>> = {
  bytes: 'bytes',
  count: 'messages',
};
