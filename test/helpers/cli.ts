import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnv, childFlags } from './child-env.ts';
import { cleanup } from './cleanup.ts';
import type { HostCommand } from './cli-host.ts';
import { until } from './engine.ts';

/** What the bin runs. */
export const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** What a run of the program left. */
export interface Ran {
  code: number | null;
  out: string;
  err: string;
}

/** A program that runs. */
export class Running {
  readonly child: ChildProcess;
  out = '';
  err = '';
  readonly #closed: Promise<unknown[]>;

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.err += text));
    this.#closed = once(child, 'close');
  }

  /** Waits until something stands in what it printed. */
  async printed(what: RegExp): Promise<RegExpExecArray> {
    let found: RegExpExecArray | null = null;
    const isThere = (): boolean => {
      found = what.exec(this.out) ?? what.exec(this.err);
      if (!found && this.child.exitCode !== null) throw new Error('the program has ended');
      return found !== null;
    };
    await until(`${what} is printed`, isThere).catch((error: Error) => {
      throw new Error(`${error.message}: ${what}: ${this.out}${this.err}`);
    });
    return found as unknown as RegExpExecArray;
  }

  async ended(): Promise<Ran> {
    const [code] = await this.#closed;
    return { code: code as number | null, out: this.out, err: this.err };
  }

  /** Ctrl-C. */
  interrupt(): Promise<Ran> {
    this.child.kill('SIGINT');
    return this.ended();
  }
}

/** Runs commands one after the other, in one process that has loaded the program (cli-host.ts): a quarter of the time of a process for each. */
class Host {
  readonly #child: ChildProcess;
  isBusy = false;

  constructor() {
    this.#child = fork(new URL('./cli-host.ts', import.meta.url), {
      env: { ...childEnv },
      execArgv: [...childFlags],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    cleanup(() => {
      this.#child.kill('SIGKILL');
      host = undefined;
    });
  }

  async run(command: HostCommand): Promise<Ran> {
    this.isBusy = true;
    const over = new AbortController();
    try {
      this.#child.send(command);
      const answered = once(this.#child, 'message', { signal: over.signal });
      const ended = once(this.#child, 'exit', { signal: over.signal }).then(([code]) => {
        throw new Error(`posthorn ${command.args.join(' ')} ended its process with ${String(code)}`);
      });
      const [ran] = (await Promise.race([answered, ended])) as [Ran];
      return ran;
    } finally {
      over.abort();
      this.isBusy = false;
    }
  }
}

/** The one of this test file; the first command starts it. */
let host: Host | undefined;

/** What Node reads when it starts is for a process of its own. */
const isForStart = (name: string): boolean => name.startsWith('NODE_') && !(name in childEnv);

/** Somebody with a shell: an environment, and a folder of their own for what the program keeps. */
export class Shell {
  readonly home = mkdtempSync(join(tmpdir(), 'posthorn-shell-'));
  readonly env: Record<string, string>;

  constructor(env: Record<string, string> = {}) {
    this.env = { ...childEnv, XDG_CONFIG_HOME: this.home, TZ: 'UTC', ...env };
    cleanup(async () => rmSync(this.home, { recursive: true, force: true }));
  }

  /** Begins `posthorn …`; `input` is what comes by standard input. */
  start(args: readonly string[], input = ''): Running {
    const child = spawn(process.execPath, [...childFlags, MAIN, ...args], {
      env: this.env,
      stdio: 'pipe',
      cwd: this.home,
    });
    // A program that has ended takes no more input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const running = new Running(child);
    cleanup(async () => {
      child.kill('SIGKILL');
      await running.ended();
    });
    return running;
  }

  /** Runs `posthorn …` to its end, without input; beside another one, in a process of its own. */
  run(...args: string[]): Promise<Ran> {
    const { env, home: cwd } = this;
    if (host?.isBusy || Object.keys(env).some(isForStart)) return this.start(args).ended();
    host ??= new Host();
    return host.run({ args, cwd, env });
  }

  /** What `posthorn … --json` prints; it must end well. */
  // oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into field by field
  async json(...args: string[]): Promise<any> {
    const { code, out, err } = await this.run(...args, '--json');
    if (code !== 0) throw new Error(`posthorn ${args.join(' ')} ended with ${code}: ${out}${err}`);
    return JSON.parse(out);
  }

  /** What it printed when it ended well. */
  async ok(...args: string[]): Promise<string> {
    const { code, out, err } = await this.run(...args);
    if (code !== 0) throw new Error(`posthorn ${args.join(' ')} ended with ${code}: ${out}${err}`);
    return out;
  }
}
