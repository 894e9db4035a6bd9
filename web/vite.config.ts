import { gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build, type Plugin, type ProxyOptions } from 'vite';
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

/**
 * Puts the script that runs before anything is drawn into the page itself. The server allows it by its
 * text.
 */
function scriptInPage(): Plugin {
  return {
    name: 'script-in-page',
    async transformIndexHtml(page) {
      const built = await build({
        configFile: false,
        logLevel: 'error',
        build: {
          target: 'es2022',
          write: false,
          modulePreload: false,
          rolldownOptions: { input: 'src/first.ts', output: { format: 'iife' } },
        },
      });
      const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
      const [script] = outputs.filter((file) => file.type === 'chunk');
      if (script === undefined) throw new Error('src/first.ts gives no script');
      return page.replace('<!--first.ts-->', () => `<script>${script.code.trim()}</script>`);
    },
  };
}

/** What the browser has to load before the page can begin, packed. */
const FIRST_SCRIPT_BYTES = 71_000;

/** Fails the build when the first script has grown too large: something else can be loaded later. */
function boundedStart(): Plugin {
  return {
    name: 'bounded-start',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const first = new Set(chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName));
      // A set that grows while it is gone through is gone through to its end.
      for (const name of first) {
        for (const needed of chunks.find((chunk) => chunk.fileName === name)?.imports ?? []) {
          first.add(needed);
        }
      }
      const packed = chunks
        .filter((chunk) => first.has(chunk.fileName))
        .reduce((sum, chunk) => sum + gzipSync(chunk.code).length, 0);
      this.info(`the first script has ${packed} bytes, packed, in ${first.size} files`);
      if (packed > FIRST_SCRIPT_BYTES) {
        this.error(`the first script has ${packed} bytes, packed: ${FIRST_SCRIPT_BYTES} at most`);
      }
    },
  };
}

interface Graph {
  getModuleInfo(id: string): { isEntry: boolean; importers: readonly string[] } | null;
}

/**
 * Puts all that the page begins with into one file. Otherwise each module that later parts need too
 * becomes a file of its own.
 */
function firstScript() {
  const needed = new Map<string, boolean>();
  const isNeeded = (id: string, graph: Graph): boolean => {
    const known = needed.get(id);
    if (known !== undefined) return known;
    // Modules may import each other in a circle.
    needed.set(id, false);
    const info = graph.getModuleInfo(id);
    const is = info !== null && (info.isEntry || info.importers.some((by) => isNeeded(by, graph)));
    needed.set(id, is);
    return is;
  };
  return {
    groups: [
      {
        name: (id: string, graph: Graph) => (isNeeded(id, graph) ? 'first' : null),
        debugName: 'first',
      },
    ],
  };
}

/** What a page may do whose every byte stands in it: run it, and nothing else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  "base-uri 'none'",
].join('; ');

/**
 * Makes one document of the page that stands in cells of notebooks. It has no address of its own to
 * load anything from.
 */
function oneDocument(): Plugin {
  return {
    name: 'one-document',
    generateBundle: {
      // Vite completes scripts in its own step of this kind.
      order: 'post',
      handler(_, bundle) {
        const files = Object.values(bundle);
        const scripts = files.flatMap((file) => (file.type === 'chunk' ? [file.code] : []));
        const [script] = scripts;
        const styles = files.flatMap((file) =>
          file.type === 'asset' && file.fileName.endsWith('.css') ? [String(file.source)] : [],
        );
        if (script === undefined || scripts.length + styles.length !== files.length) {
          this.error(`one script and styles were expected, not ${Object.keys(bundle).join(', ')}`);
        }
        for (const name of Object.keys(bundle)) delete bundle[name];
        // What would end the element of the script stands in its texts only, which stay the same.
        const safe = script
          .trim()
          .replaceAll('</script', '<\\/script')
          .replaceAll('<!--', '<\\!--');
        const source = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Onca</title>
    <style>${styles.join('').trim()}</style>
  </head>
  <body>
    <div id="app"></div>
    <script type="module">${safe}</script>
  </body>
</html>
`;
        this.emitFile({ type: 'asset', fileName: 'widget.html', source });
      },
    },
  };
}

/** The page as one document, beside the files of the other one. */
const EMBEDDED = defineConfig({
  plugins: [svelte(), oneDocument()],
  build: {
    target: 'es2022',
    emptyOutDir: false,
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: 'src/embedded.svelte.ts',
      output: { codeSplitting: false },
    },
    chunkSizeWarningLimit: 2000,
  },
});

const PAGE = defineConfig({
  plugins: [svelte(), scriptInPage(), boundedStart()],
  build: {
    target: 'es2022',
    // Data addresses would need holes in the Content-Security-Policy of the server.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: firstScript(),
        // The first script names all that it may load later, and digits pack badly.
        chunkFileNames: 'assets/[name]-[hash:6].js',
        assetFileNames: 'assets/[name]-[hash:6][extname]',
      },
    },
    // three.js, which is loaded only for scenes in space.
    chunkSizeWarningLimit: 600,
  },
  server: { proxy: toServer(process.env['ONCA_SERVER']) },
  test: {
    include: ['src/**/*.test.ts'],
    // For what hangs. A busy machine takes its time.
    testTimeout: 600_000,
  },
});

export default defineConfig(({ mode }) => (mode === 'embedded' ? EMBEDDED : PAGE));
