import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { ProxyOptions } from 'vite';
import { defineConfig } from 'vitest/config';

/**
 * `ONCA_SERVER=ADDRESS npx vite` works on the page with the data of a running server; the address
 * is the one that `onca view` prints, with its token.
 */
function toServer(printed: string | undefined): Record<string, ProxyOptions> {
  if (printed === undefined) return {};
  const { origin, searchParams } = new URL(printed);
  const options: ProxyOptions = {
    target: origin,
    changeOrigin: true,
    headers: { Authorization: `Bearer ${searchParams.get('token')}` },
    // The server answers only pages of its own.
    configure: (proxy) => proxy.on('proxyReq', (request) => request.removeHeader('origin')),
  };
  return { '/api': options, '/font': options };
}

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    // Data addresses would need holes in the Content-Security-Policy of the server.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // three.js, which is loaded only for scenes in space.
    chunkSizeWarningLimit: 600,
  },
  server: { proxy: toServer(process.env['ONCA_SERVER']) },
  test: {
    include: ['src/**/*.test.ts'],
  },
});
