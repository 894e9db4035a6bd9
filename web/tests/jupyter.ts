// JupyterLab with a notebook in it. `ONCA_PYTHON` names a Python that has it, onca and anywidget.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import type { Folder } from './onca';

const TOKEN = 'for-tests';
const START_MS = 120_000;

export interface NotebookOptions {
  readonly dark?: boolean;
}

export class Jupyter {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: Folder,
    private readonly origin: string,
  ) {}

  /** Everything that it reads and writes of its own lies in the folder, as do the notebooks. */
  static async start(
    python: string,
    folder: Folder,
    { dark = false }: NotebookOptions = {},
  ): Promise<Jupyter> {
    const theme = dark ? 'JupyterLab Dark' : 'JupyterLab Light';
    const settings = 'settings/@jupyterlab/apputils-extension';
    write(folder, `${settings}/themes.jupyterlab-settings`, { theme });
    // It would ask another machine, and whether it may.
    write(folder, `${settings}/notification.jupyterlab-settings`, {
      fetchNews: 'false',
      checkForUpdates: false,
    });
    const port = await freePort();
    const words = ['lab', '--no-browser', '--allow-root', `--port=${port}`, '--ip=127.0.0.1'];
    const child = spawn(
      python,
      ['-m', 'jupyter', ...words, `--ServerApp.root_dir=${folder.path}`],
      {
        cwd: folder.path,
        env: {
          ...process.env,
          JUPYTER_TOKEN: TOKEN,
          JUPYTER_CONFIG_DIR: folder.file('config'),
          JUPYTER_DATA_DIR: folder.file('data'),
          JUPYTER_RUNTIME_DIR: folder.file('runtime'),
          JUPYTERLAB_SETTINGS_DIR: folder.file('settings'),
          JUPYTERLAB_WORKSPACES_DIR: folder.file('workspaces'),
          IPYTHONDIR: folder.file('ipython'),
        },
        stdio: 'ignore',
      },
    );
    const jupyter = new Jupyter(child, folder, `http://127.0.0.1:${port}`);
    const isThere = () =>
      fetch(`${jupyter.origin}/api?token=${TOKEN}`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isThere, { timeout: START_MS }).toBe(true);
    return jupyter;
  }

  /** Writes a notebook; returns its address. */
  notebook(name: string, cells: readonly string[]): string {
    write(this.folder, name, {
      cells: cells.map((source, place) => ({
        cell_type: 'code',
        id: `cell-${place}`,
        execution_count: null,
        metadata: {},
        outputs: [],
        source,
      })),
      metadata: { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } },
      nbformat: 4,
      nbformat_minor: 5,
    });
    return `${this.origin}/lab/tree/${name}?token=${TOKEN}`;
  }

  stop(): void {
    this.child.kill('SIGTERM');
  }
}

function write(folder: Folder, name: string, content: object): void {
  mkdirSync(dirname(folder.file(name)), { recursive: true });
  folder.write(name, JSON.stringify(content));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
