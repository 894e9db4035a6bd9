// What stays from visit to visit on this machine: the theme and the sizes of panels. Storage may
// be full or forbidden; then nothing is remembered, and nothing else fails.

export function recall<T>(name: string, isFine: (value: unknown) => value is T): T | null {
  try {
    const text = localStorage.getItem(`onca.${name}`);
    const value: unknown = text === null ? null : JSON.parse(text);
    return isFine(value) ? value : null;
  } catch {
    return null;
  }
}

export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(`onca.${name}`, JSON.stringify(value));
  } catch {
    // Nothing to do: the page works without.
  }
}

/** Has the server told by a cookie at the next visit. A page without an address has no cookies. */
export function tellServer(cookie: string): void {
  try {
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser has a cookie store, nor every address
    document.cookie = cookie;
  } catch {
    // There is no next visit.
  }
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}
