import type { Server } from 'node:net';

/** Addresses to listen on that nobody can call, and what stands for them. */
const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Where the server listens, as an address that can be called, without `/` at its end; before it listens, where it was
 * told to.
 */
export function listeningUrl(server: Pick<Server, 'address'>, { HOST, PORT }: { HOST: string; PORT: number }): string {
  const at = server.address();
  const { address, port } = at !== null && typeof at === 'object' ? at : { address: HOST, port: PORT };
  const host = WILDCARDS[address] ?? address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
