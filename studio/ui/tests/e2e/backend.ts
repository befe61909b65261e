// What stands behind the page in end-to-end tests: the mock, or the program itself when SINEW names it.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockServer } from '../mock_server';

export interface Backend {
  readonly name: string;
  /** Whether a restarted server has forgotten the edits (a new process) rather than only lost its connections. */
  start(): Promise<string>;
  /** Breaks all connections; `restart` brings the server back at the same address. */
  stop(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

const PAGE = new URL('../../dist', import.meta.url).pathname;

class MockBackend implements Backend {
  readonly name = 'mock';
  private server = new MockServer(PAGE);

  start(): Promise<string> {
    if (!existsSync(join(PAGE, 'index.html'))) throw new Error('dist/ is missing: run "npm run build" first');
    return this.server.start();
  }
  async stop(): Promise<void> {
    await this.server.stop();
  }
  async restart(): Promise<void> {
    const { port } = this.server;
    this.server = new MockServer(PAGE);
    await this.server.start(port);
  }
  close(): Promise<void> {
    return this.server.stop();
  }
}

async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

class ProgramBackend implements Backend {
  readonly name = 'sinew studio';
  private process: ChildProcess | null = null;
  private port = 0;
  private readonly workspace = mkdtempSync(join(tmpdir(), 'sinew-studio-'));

  constructor(
    private readonly program: string,
    private readonly body: string,
  ) {}

  async start(): Promise<string> {
    this.port = this.port || (await freePort());
    const args = ['studio', this.body, '--port', String(this.port), '--no-browser', '--only-preview', '--workspace', this.workspace];
    const process_ = spawn(this.program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.process = process_;
    const url = await new Promise<string>((resolve, reject) => {
      let text = '';
      process_.stdout!.on('data', (data) => {
        text += String(data);
        const end = text.indexOf('\n');
        if (end >= 0) resolve(text.slice(0, end).trim());
      });
      process_.on('exit', (code) => reject(new Error(`sinew studio ended with ${code}`)));
      process_.on('error', reject);
    });
    return url.endsWith('/') ? url : `${url}/`;
  }
  async stop(): Promise<void> {
    const process_ = this.process;
    if (!process_ || process_.exitCode !== null) return;
    await new Promise<void>((resolve) => {
      process_.on('exit', () => resolve());
      process_.kill('SIGINT');
      setTimeout(() => process_.kill('SIGKILL'), 5000).unref();
    });
    this.process = null;
  }
  async restart(): Promise<void> {
    await this.start();
  }
  async close(): Promise<void> {
    await this.stop();
    rmSync(this.workspace, { recursive: true, force: true });
  }
}

export function makeBackend(): Backend {
  const { SINEW, SINEW_BODY } = process.env;
  return SINEW && SINEW_BODY ? new ProgramBackend(SINEW, SINEW_BODY) : new MockBackend();
}
