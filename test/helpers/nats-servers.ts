import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/lib/postgres.ts';
import { cleanup } from './cleanup.ts';
import { until } from './engine.ts';
import { listens } from './pooler.ts';
import { isThere, natsServerPath } from './services.ts';

/** Why there can be no NATS server of a test's own; null: there can. */
export const noNatsServers = isThere(natsServerPath) ? null : 'nats-server is not installed';

/** A NATS server with JetStream as a process that can be killed and started again; alone, or one of a cluster. */
export class NatsServer {
  readonly port: number;
  readonly #name: string;
  readonly #dir: string;
  readonly #cluster: { port: number; routes: readonly number[] } | null;
  #child: ChildProcess | undefined;

  constructor(name: string, port: number, dir: string, cluster: { port: number; routes: readonly number[] } | null) {
    this.#name = name;
    this.port = port;
    this.#dir = dir;
    this.#cluster = cluster;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const flags = [
      '-a',
      '127.0.0.1',
      '-p',
      String(this.port),
      '-js',
      '-sd',
      join(this.#dir, this.#name),
      '-n',
      this.#name,
    ];
    if (this.#cluster) {
      const routes = this.#cluster.routes.map((port) => `nats://127.0.0.1:${port}`).join(',');
      // Clients are told of no other addresses, so that a test can stand between them and the servers.
      flags.push(
        '--no_advertise',
        '--cluster_name',
        'test',
        '--cluster',
        `nats://127.0.0.1:${this.#cluster.port}`,
        '--routes',
        routes,
      );
    }
    this.#child = spawn(natsServerPath as string, flags, { stdio: 'ignore' });
    await until(`NATS server ${this.#name} answers`, () => listens(this.port), 30_000, 20);
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

/** Started servers, of one cluster when there are several; they end after the test file. */
export async function startNatsServers(count = 1): Promise<NatsServer[]> {
  const dir = mkdtempSync(join(tmpdir(), 'posthorn-nats-'));
  cleanup(() => rmSync(dir, { recursive: true, force: true }));
  const ports = await Promise.all(Array.from({ length: 2 * count }, () => freePort()));
  const routes = ports.slice(count);
  const servers = Array.from({ length: count }, (_, i) => {
    const cluster = count === 1 ? null : { port: routes[i] as number, routes };
    return new NatsServer(`n${i + 1}`, ports[i] as number, dir, cluster);
  });
  for (const server of servers) cleanup(() => server.kill());
  await Promise.all(servers.map((server) => server.start()));
  return servers;
}
