import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/lib/postgres.ts';
import { cleanup } from './cleanup.ts';
import { ServerProcess } from './server-process.ts';
import { isThere, natsServerPath } from './services.ts';

/** Why there can be no NATS server of a test's own; null: there can. */
export const noNatsServers = isThere(natsServerPath) ? null : 'nats-server is not installed';

/** A NATS server with JetStream; alone, or one of a cluster. */
export class NatsServer extends ServerProcess {
  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }
}

/** Of a cluster: where this one listens for the others, and where all do. */
function clusterFlags(port: number, routes: readonly number[]): string[] {
  const all = routes.map((route) => `nats://127.0.0.1:${route}`).join(',');
  // Clients are told of no other addresses, so that a test can stand between them and the servers.
  return ['--no_advertise', '--cluster_name', 'test', '--cluster', `nats://127.0.0.1:${port}`, '--routes', all];
}

/** Started servers `n1`, `n2`…, of one cluster when there are several, each with these flags as well; they end after the test file. */
export async function startNatsServers(count = 1, besides: readonly string[] = []): Promise<NatsServer[]> {
  const dir = mkdtempSync(join(tmpdir(), 'posthorn-nats-'));
  cleanup(() => rmSync(dir, { recursive: true, force: true }));
  const ports = await Promise.all(Array.from({ length: 2 * count }, () => freePort()));
  const routes = ports.slice(count);
  const servers = routes.map((route, i) => {
    const [name, port] = [`n${i + 1}`, ports[i] as number];
    const flags = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', join(dir, name), '-n', name];
    const more = count === 1 ? [] : clusterFlags(route, routes);
    return new NatsServer(natsServerPath as string, [...flags, ...more, ...besides], port);
  });
  for (const server of servers) cleanup(() => server.kill());
  await Promise.all(servers.map((server) => server.start()));
  return servers;
}
