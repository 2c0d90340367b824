import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../scripts/lib/postgres.ts';
import { isReadyAt } from './call.ts';
import { checkedFetch } from './checked-fetch.ts';
import { childEnv, childFlags } from './child-env.ts';
import { until } from './engine.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const OPERATOR = { email: 'operator@kill.example', password: 'operator of the kill test' };

// oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into field by field
type Body = any;

/** The service as a process of its own, as a user starts it, that can be killed and started again. */
export class ServiceProcess {
  port = 0;
  readonly #env: Record<string, string>;
  readonly #role: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #stderr = '';

  /** `env`: DATABASE_URL with POSTHORN_MASTER_KEY, or POSTHORN_DATA_DIR. `folder`: where its files are. */
  constructor(env: Record<string, string>, role: 'all' | 'api' | 'worker' = 'all', folder = ROOT) {
    this.#role = role;
    this.#folder = folder;
    this.#env = {
      ...childEnv,
      POSTHORN_ENV: 'test',
      POSTHORN_OPERATOR_EMAIL: OPERATOR.email,
      POSTHORN_OPERATOR_PASSWORD: OPERATOR.password,
      PASSWORD_HASH_COST: '10',
      RATE_LIMIT_KEY: '100000000',
      RATE_LIMIT_SESSION: '100000000',
      LOG_LEVEL: 'warn',
      ...env,
    };
  }

  /** Starts it and waits until it is ready. */
  async start(): Promise<void> {
    this.port = await freePort();
    const child = spawn(process.execPath, [...childFlags, 'src/main.ts', '--role', this.#role], {
      cwd: this.#folder,
      env: { ...this.#env, PORT: String(this.port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    await until(
      'the service is ready',
      async () => {
        if (child.exitCode !== null) throw new Error(`the service did not start: ${this.#stderr}`);
        return isReadyAt(this.port);
      },
      // PGlite makes a new database in seconds, and many times that on a loaded machine.
      90_000,
      50,
    );
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** kill -9. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** The body of a reply, which must be 2xx and as openapi.json declares it. */
  async call(method: string, path: string, body?: unknown, token?: string): Promise<Body> {
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const reply = await checkedFetch(`http://127.0.0.1:${this.port}${path}`, init);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  /** The access token of the first operator. */
  async operator(): Promise<string> {
    return (await this.call('POST', '/v1/auth/sign-in', OPERATOR)).accessToken;
  }
}
