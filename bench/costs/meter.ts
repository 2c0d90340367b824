import { readFileSync } from 'node:fs';
import { cpuOf, cpuOfMainThread, cpuOfMachine, cpuOfPostgres } from '../lib/cpu.ts';
import { withClient } from '../lib/processes.ts';

/** What was used, in all or for one of something. CPU in seconds. */
export interface Usage {
  /** Of the process that takes requests. */
  api: number;
  /** Of all processes that send. */
  worker: number;
  /** Of `worker`, what their main threads used, of which each has one core at most. */
  workerMain: number;
  postgres: number;
  /** Of the rest of the machine: whoever makes the load, and the receivers. */
  rest: number;
  transactions: number;
  /** Write-ahead log. */
  walBytes: number;
  /** By which the database has grown. */
  storedBytes: number;
  /** Over loopback: of clients, receivers and the database together. */
  networkBytes: number;
}

export const KINDS = [
  'api',
  'worker',
  'workerMain',
  'postgres',
  'rest',
  'transactions',
  'walBytes',
  'storedBytes',
  'networkBytes',
] as const satisfies readonly (keyof Usage)[];

/** A usage made by a function of each of its figures. */
export const usage = (of: (kind: keyof Usage) => number): Usage =>
  Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as unknown as Usage;

/** Bytes received on loopback since the start of the machine. */
function loopbackBytes(): number {
  const line = readFileSync('/proc/net/dev', 'utf8')
    .split('\n')
    .find((l) => l.trim().startsWith('lo:'));
  return Number(line?.split(':')[1]?.trim().split(/\s+/)[0]);
}

async function numbers<const C extends string>(url: string, statement: string): Promise<Record<C, number>> {
  const { rows } = await withClient(url, (client) => client.query<Record<C, string>>(statement));
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, n]) => [name, Number(n)])) as Record<C, number>;
}

const bytes = (url: string): Promise<Pick<Usage, 'walBytes' | 'storedBytes'>> =>
  numbers(
    url,
    `select pg_current_wal_lsn() - '0/0'::pg_lsn as "walBytes", pg_database_size(current_database()) as "storedBytes"`,
  );

const transactions = async (url: string): Promise<number> =>
  (
    await numbers<'n'>(
      url,
      'select xact_commit + xact_rollback as n from pg_stat_database where datname = current_database()',
    )
  ).n;

const pause = (seconds: number): Promise<void> => new Promise((done) => setTimeout(done, seconds * 1000));

/** A connection that has gone idle tells of its last transactions within ten seconds (PostgreSQL 15: PGSTAT_IDLE_INTERVAL). */
export const allTold = (): Promise<void> => pause(10.5);

export interface Measured {
  used: Usage;
  seconds: number;
  /** For how long transactions were counted, which is longer. */
  transactionSeconds: number;
}

/** What of it was used beyond what is used when nothing happens. */
export const beyond = (idle: Usage, { used, seconds, transactionSeconds }: Measured): Usage =>
  usage((kind) => used[kind] - idle[kind] * (kind === 'transactions' ? transactionSeconds : seconds));

/**
 * What is used from now until the function that it returns is called. Linux only; the machine has to be left alone, and nothing but what is
 * always done may have been done in the last ten seconds.
 */
export async function meter(
  databaseUrl: string,
  api: number,
  workers: readonly number[],
): Promise<() => Promise<Measured>> {
  const read = async (): Promise<Omit<Usage, 'transactions'> & { at: number }> => {
    const ofApi = cpuOf(api);
    const worker = workers.reduce((sum, pid) => sum + cpuOf(pid), 0);
    const workerMain = workers.reduce((sum, pid) => sum + cpuOfMainThread(pid), 0);
    const postgres = cpuOfPostgres();
    return {
      api: ofApi,
      worker,
      workerMain,
      postgres,
      rest: cpuOfMachine() - ofApi - worker - postgres,
      ...(await bytes(databaseUrl)),
      networkBytes: loopbackBytes(),
      at: performance.now(),
    };
  };
  const counted = await transactions(databaseUrl);
  const before = await read();
  return async () => {
    // What is done after an answer is done.
    await pause(1);
    const after = await read();
    await allTold();
    const more = (await transactions(databaseUrl)) - counted;
    return {
      used: usage((kind) => (kind === 'transactions' ? more : after[kind] - before[kind])),
      seconds: (after.at - before.at) / 1000,
      transactionSeconds: (performance.now() - before.at) / 1000,
    };
  };
}
