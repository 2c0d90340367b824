import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { cleanup } from './cleanup.ts';

/** Stands between a client and a server, so that a test can break the way between them without touching the server. */
export class TcpProxy {
  readonly #open = new Set<Socket>();
  readonly #server = createServer((socket) => this.#take(socket));
  readonly #target: { host: string; port: number };
  #port = 0;
  #hangs = false;

  constructor(target: { host: string; port: number }) {
    this.#target = target;
  }

  /** Where it listens, also while it does not. */
  get port(): number {
    return this.#port;
  }

  get isHanging(): boolean {
    return this.#hangs;
  }

  /** Takes connections; after `close` again at the same port. */
  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** From now on connections are taken and stay open, and nothing passes in either direction. */
  hang(): void {
    this.#hangs = true;
    for (const socket of this.#open) socket.pause();
  }

  /** What was kept back passes, and all that follows. */
  resume(): void {
    this.#hangs = false;
    for (const socket of this.#open) socket.resume();
  }

  /** Ends every connection without a word. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #take(socket: Socket): void {
    const upstream = connect(this.#target);
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      this.#open.add(from);
      from.on('data', (data) => to.write(data)).on('error', () => undefined);
      from.on('close', () => (to.destroy(), this.#open.delete(from)));
      if (this.#hangs) from.pause();
    }
  }
}

/** A proxy that listens until the end of the test file. */
export async function startProxy(host: string, port: number): Promise<TcpProxy> {
  const proxy = new TcpProxy({ host, port });
  await proxy.listen();
  cleanup(() => proxy.close());
  return proxy;
}
