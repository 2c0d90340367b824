import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { Client } from 'pg';
import { callPort, isReadyAt } from '../../test/helpers/call.ts';

const here = (path: string): string => new URL(path, import.meta.url).pathname;

export interface Child {
  process: ChildProcess;
  lines: Interface;
  /** The next line of its standard output. */
  line(): Promise<string>;
  stop(): Promise<void>;
}

/** The service of this repository, not of another version. */
const OWN_MAIN = '../../src/main.ts';

/** A node process of this repository. */
export function child(file: string, args: readonly string[] = [], env: Record<string, string> = {}): Child {
  // BENCH_NODE_ARGS: for example `--cpu-prof --cpu-prof-dir=/tmp/profiles`. Another version that is measured in turn has none.
  const nodeArgs = file === OWN_MAIN ? (process.env.BENCH_NODE_ARGS ?? '').split(' ').filter((a) => a !== '') : [];
  const process_ = spawn(process.execPath, [...nodeArgs, here(file), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const lines = createInterface({ input: process_.stdout });
  const waiting: string[] = [];
  const askers: PromiseWithResolvers<string>[] = [];
  const hasEnded = (): boolean => process_.exitCode !== null || process_.signalCode !== null;
  const ended = (): Error => new Error(`${file} has ended (${process_.exitCode ?? process_.signalCode})`);
  lines.on('line', (l) => {
    const ask = askers.shift();
    if (ask) ask.resolve(l);
    else waiting.push(l);
  });
  // What it has written is read by then.
  process_.once('close', () => askers.splice(0).forEach((ask) => ask.reject(ended())));
  return {
    process: process_,
    lines,
    line: () => {
      const ready = waiting.shift();
      if (ready !== undefined) return Promise.resolve(ready);
      if (hasEnded()) return Promise.reject(ended());
      const ask = Promise.withResolvers<string>();
      askers.push(ask);
      return ask.promise;
    },
    async stop() {
      if (hasEnded()) return;
      const end = once(process_, 'exit');
      process_.kill('SIGTERM');
      await end;
    },
  };
}

export const adminUrl = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/** A connection for as long as `fn` takes. */
export async function withClient<T>(url: string, fn: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await fn(client);
  } finally {
    await client.end();
  }
}

/** Statements on the server of BENCH_DATABASE_URL, one after the other. */
export const admin = (...statements: string[]): Promise<void> =>
  withClient(adminUrl, async (client) => {
    for (const statement of statements) await client.query(statement);
  });

/** A new database there: empty, or as another one is. */
export async function freshDatabase(name: string, template?: string): Promise<string> {
  const as = template === undefined ? '' : ` template ${template}`;
  await admin(`drop database if exists ${name} with (force)`, `create database ${name}${as}`);
  return Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
}

/** Rows of a table, or of a part of it (`events where …`). */
export const countOf = (databaseUrl: string, table: string): Promise<number> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ n: string }>(`select count(*) as n from ${table}`);
    return Number(rows[0]?.n);
  });

export interface BenchService {
  port: number;
  call<T>(method: string, path: string, body?: unknown, token?: string): Promise<T>;
  operator: string;
  pid: number;
  stop(): Promise<void>;
}

const OPERATOR = { email: 'operator@bench.example', password: 'bench-operator-password' };

/** The service as a process of its own on PostgreSQL, with rate limits out of the way. `main`: of another version. */
export async function service(
  databaseUrl: string,
  port: number,
  env: Record<string, string> = {},
  args: readonly string[] = [],
  main = OWN_MAIN,
): Promise<BenchService> {
  // One that was left behind would be measured instead of this one, on another database.
  if (await isReadyAt(port)) throw new Error(`a service answers at port ${port} already: end it first`);
  const started = child(main, args, {
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    POSTHORN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    POSTHORN_OPERATOR_EMAIL: OPERATOR.email,
    POSTHORN_OPERATOR_PASSWORD: OPERATOR.password,
    RATE_LIMIT_KEY: '100000000',
    RATE_LIMIT_SESSION: '100000000',
    LOG_LEVEL: 'warn',
    ...env,
  });
  started.lines.on('line', (l) => console.error(l));
  const call = async <T>(method: string, path: string, body?: unknown, token?: string): Promise<T> =>
    callPort(port, method, path, { body, token }) as Promise<T>;
  for (let i = 0; ; i++) {
    if (started.process.exitCode !== null) throw new Error('the service did not start');
    if (await isReadyAt(port)) break;
    if (i > 300) throw new Error('the service did not become ready');
    await new Promise((done) => setTimeout(done, 100));
  }
  const { accessToken } = await call<{ accessToken: string }>('POST', '/v1/auth/sign-in', OPERATOR);
  return { port, call, operator: accessToken, pid: started.process.pid as number, stop: () => started.stop() };
}

/** An account with an API key. */
export async function account(s: BenchService, type: string, scopes: string[]): Promise<{ id: string; key: string }> {
  const { id } = await s.call<{ id: string }>(
    'POST',
    '/v1/admin/accounts',
    { name: `bench ${type}`, type },
    s.operator,
  );
  const { key } = await s.call<{ key: string }>(
    'POST',
    '/v1/admin/api-keys',
    { accountId: id, name: 'bench', scopes },
    s.operator,
  );
  return { id, key };
}
