// Finds titles by a few letters.

/** Entries whose title has all words of the text; those that begin with the text go first. */
export function matchEntries<Entry extends { readonly title: string }>(
  entries: readonly Entry[],
  text: string,
): readonly Entry[] {
  const asked = text.trim().toLowerCase();
  const words = asked.split(/\s+/);
  const title = (entry: Entry) => entry.title.toLowerCase();
  const fitting = entries.filter((entry) => words.every((word) => title(entry).includes(word)));
  const begins = (entry: Entry) => (title(entry).startsWith(asked) ? 0 : 1);
  return [...fitting].sort((a, b) => begins(a) - begins(b));
}
