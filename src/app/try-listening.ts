import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../platform/config/index.ts';

/**
 * Listens at the address of the settings for a moment. Throws as the service would, which listens last: a start that cannot would have
 * brought the database up to a version that does not run.
 */
export async function tryListening({ HOST: host, PORT: port }: Config): Promise<void> {
  const server = createServer((socket) => socket.destroy()).listen({ host, port });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
