import { spawn } from 'node:child_process';

export interface WrkOptions {
  connections: number;
  seconds: number;
  headers?: readonly string[];
  /** A Lua script beside this file, and its arguments. */
  script?: string;
  args?: readonly string[];
}

export interface Load {
  /** Replies per second. */
  perSecond: number;
  /** Of the time from request to reply. Milliseconds. */
  p99: number;
  /** Replies in all. */
  replies: number;
}

const MILLISECONDS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

/** What wrk (Debian package `wrk`) reports, with one thread. Throws when a reply was not 2xx or 3xx. */
export function load(url: string, options: WrkOptions): Promise<Load> {
  const { connections, seconds, headers = [], script, args = [] } = options;
  const own = script === undefined ? [] : ['-s', new URL(script, import.meta.url).pathname];
  const all = [
    '-t1',
    '--latency',
    '--timeout=30s',
    `-c${connections}`,
    `-d${seconds}s`,
    ...headers.flatMap((h) => ['-H', h]),
    ...own,
    url,
    ...(args.length > 0 ? ['--', ...args] : []),
  ];
  return new Promise((done, fail) => {
    const child = spawn('wrk', all);
    let out = '';
    child.stdout.on('data', (d: Buffer) => (out += d.toString()));
    child.on('error', () => fail(new Error('wrk is needed: apt-get install wrk')));
    child.on('close', (code) => {
      const bad = /Non-2xx or 3xx responses: (\d+)/.exec(out)?.[1];
      const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s|m)/.exec(out) ?? [];
      if (bad) return fail(new Error(`${bad} requests to ${url} failed`));
      const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(out)?.[1]);
      const broken = /Socket errors: .*/.exec(out)?.[0];
      if (code !== 0 || broken || !(perSecond > 0))
        return fail(new Error(`wrk at ${url}: ${broken ?? `code ${code}`}`));
      done({
        perSecond,
        p99: Number(p99) * (MILLISECONDS[unit ?? ''] ?? Number.NaN),
        replies: Number(/(\d+) requests in/.exec(out)?.[1]),
      });
    });
  });
}

/** Replies per second. */
export const wrk = async (url: string, options: WrkOptions): Promise<number> => (await load(url, options)).perSecond;

export interface Publishing {
  /** Of a platform. */
  key: string;
  /** `"event":…,"data":…`, with `@@` for the id of its subject. */
  event: string;
  /** Each event goes to the next of them: ids of accounts. */
  audiences: readonly (readonly string[])[];
  /** Events of a request. */
  batch?: number;
  connections: number;
  seconds: number;
}

/** Events per second, published as fast as they are answered. */
export async function publishTo(
  url: string,
  { key, event, audiences, batch = 1, ...load }: Publishing,
): Promise<number> {
  const args = [key, String(batch), event, ...audiences.map((ids) => JSON.stringify(ids))];
  return batch * (await wrk(url, { ...load, script: 'publish.lua', args }));
}
