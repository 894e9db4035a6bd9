import type { Theme } from './types';

export function isTheme(value: unknown): value is Theme {
  return value === 'light' || value === 'dark';
}
