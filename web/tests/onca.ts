// Runs the program that is tested: `ONCA_BIN` names it.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/\?token=\w+/;
const START_MS = 30_000;

export function program(): string {
  const path = process.env['ONCA_BIN'];
  if (path === undefined) throw new Error('ONCA_BIN must name the onca program to test');
  return path;
}

export function run(args: readonly string[], cwd?: string): string {
  return execFileSync(program(), args, {
    encoding: 'utf8',
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** A folder that is removed with everything in it. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'onca-page-'));

  file(name: string): string {
    return join(this.path, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.file(name), text);
    return this.file(name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export class Server {
  private constructor(
    readonly address: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Server> {
    const child = spawn(program(), ['view', '--no-open', ...args], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const address = await addressOf(child);
    return new Server(address, child);
  }

  get origin(): string {
    return new URL(this.address).origin;
  }

  stop(): void {
    this.child.kill('SIGINT');
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(
      () => reject(new Error(`onca view gave no address:\n${said}`)),
      START_MS,
    );
    const listen = (chunk: Buffer) => {
      said += chunk.toString();
      const address = ADDRESS.exec(said)?.[0];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.on('exit', (code) => reject(new Error(`onca view ended with ${code}:\n${said}`)));
  });
}
