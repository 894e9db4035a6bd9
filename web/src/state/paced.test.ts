import { expect, it } from 'vitest';
import { restOf } from './paced.svelte';

it('who takes long rests long', () => {
  expect(restOf(10)).toBe(3000);
  expect(restOf(2000)).toBe(18_000);
});
