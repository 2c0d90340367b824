import { spawn } from 'node:child_process';

export interface WrkOptions {
  connections: number;
  seconds: number;
  headers?: readonly string[];
  /** A Lua script beside this file, and its arguments. */
  script?: string;
  args?: readonly string[];
}

/** Requests per second by wrk (Debian package `wrk`), one thread. Throws when a reply was not 2xx or 3xx. */
export function wrk(url: string, options: WrkOptions): Promise<number> {
  const { connections, seconds, headers = [], script, args = [] } = options;
  const own = script === undefined ? [] : ['-s', new URL(script, import.meta.url).pathname];
  const all = [
    '-t1',
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
    child.on('exit', () => {
      const bad = /Non-2xx or 3xx responses: (\d+)/.exec(out)?.[1];
      if (bad) fail(new Error(`${bad} requests to ${url} failed`));
      else done(Number(/Requests\/sec:\s+([\d.]+)/.exec(out)?.[1]));
    });
  });
}
