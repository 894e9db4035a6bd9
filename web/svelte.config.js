import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

export default {
  preprocess: vitePreprocess(),
  // Styles become a file: the page allows none that a script makes.
  compilerOptions: { css: 'external', runes: true },
};
