import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from './engine.ts';
import { listens } from './pooler.ts';

/** A server of this machine at a port, as a process that can be killed and started again on what it has left. */
export class ServerProcess {
  readonly port: number;
  readonly #program: string;
  readonly #flags: readonly string[];
  #child: ChildProcess | undefined;

  constructor(program: string, flags: readonly string[], port: number) {
    this.#program = program;
    this.#flags = flags;
    this.port = port;
  }

  /** Starts it and waits until it takes connections. */
  async start(): Promise<void> {
    this.#child = spawn(this.#program, this.#flags, { stdio: 'ignore' });
    await until(`${this.#program} answers`, () => listens(this.port), 30_000, 20);
  }

  /** Sends it a signal, as `SIGSTOP`, by which it hangs with its connections open. */
  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** kill -9. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
