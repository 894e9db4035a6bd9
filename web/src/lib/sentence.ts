// Sentences of the server, as they stand in the page.

/** What a finding claims of the run: `11.5 % of the run`. */
export function claimed(share: number): string {
  if (share <= 0) return 'no time claimed';
  const percent = 100 * share;
  return `${percent < 0.1 ? '< 0.1' : percent.toFixed(1)} % of the run`;
}

/** A sentence with a large first letter, unless its first word is a name with a number in it. */
export function capitalised(text: string): string {
  const first = text.split(' ', 1)[0] ?? '';
  return /^[a-z]+$/.test(first) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
