import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { migratedPostgres } from './database.ts';
import { cleanup } from './cleanup.ts';
import { until } from './engine.ts';
import { ServiceProcess } from './process.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into field by field
type Body = any;

export interface Answer {
  status: number;
  body: Body;
}

/** Somebody with one kept connection, which is a connection to one process for as long as that lives. */
export class Client {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** The process at the other end. */
  pid = 0;

  constructor(port: number) {
    this.#port = port;
    cleanup(() => this.close());
  }

  /** Rejects with the error of the connection. */
  send(method: string, path: string, { token, body }: { token?: string; body?: unknown } = {}): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    return new Promise((done, fail) => {
      const asked = request(
        { host: '127.0.0.1', port: this.#port, method, path, headers, agent: this.#agent },
        (reply) => {
          let read = '';
          reply.setEncoding('utf8').on('data', (chunk: string) => (read += chunk));
          reply.on('error', fail).on('end', () => {
            const isJson = reply.headers['content-type']?.includes('json') ?? false;
            done({ status: reply.statusCode ?? 0, body: isJson ? JSON.parse(read) : read });
          });
        },
      );
      asked.setTimeout(15_000, () => asked.destroy(new Error('no answer in time')));
      asked.on('error', fail).end(text);
    });
  }

  async ok(method: string, path: string, options: { token?: string; body?: unknown } = {}): Promise<Body> {
    const { status, body } = await this.send(method, path, options);
    assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** The connection ends; the next request makes another one. */
  close(): void {
    this.#agent.destroy();
  }
}

/** The settings of a service of two processes on this PostgreSQL database. */
export const twoProcessesOn = (databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  POSTHORN_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
  WEB_CONCURRENCY: '2',
  // Nothing is sent here, and a thread for it costs each process a quarter of its start.
  WEBHOOK_SENDER_THREADS: '0',
});

/** A service of two processes on a PostgreSQL database of its own. */
export class Cores {
  readonly service: ServiceProcess;
  readonly databaseUrl: string;
  operator = '';

  private constructor(databaseUrl: string, env: Record<string, string>) {
    this.databaseUrl = databaseUrl;
    this.service = new ServiceProcess({ ...twoProcessesOn(databaseUrl), ...env });
    cleanup(() => this.service.kill());
  }

  static async start(env: Record<string, string> = {}): Promise<Cores> {
    const cores = new Cores(await migratedPostgres(), env);
    await cores.service.start();
    cores.operator = await cores.service.operator();
    return cores;
  }

  async #connect(): Promise<Client> {
    const client = new Client(this.service.port);
    const { node } = await client.ok('GET', '/v1/admin/system', { token: this.operator });
    client.pid = Number(/-(\d+)-[0-9a-f]{8}$/.exec(node)?.[1]);
    return client;
  }

  /** A connection to each of the two processes, as soon as both are there. */
  async connections(): Promise<[Client, Client]> {
    const found = new Map<number, Client>();
    await until(
      'both processes answer',
      async () => {
        const client = await this.#connect().catch(() => undefined);
        if (!client || found.has(client.pid)) client?.close();
        else found.set(client.pid, client);
        return found.size === 2;
      },
      30_000,
    );
    return [...found.values()] as [Client, Client];
  }
}

/** Whether there is a process of this number, be it as one that has ended and was not yet looked after. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether nobody listens at this port of this machine. */
export const isRefused = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', (error: NodeJS.ErrnoException) => done(error.code === 'ECONNREFUSED'));
    socket.once('connect', () => {
      socket.destroy();
      done(false);
    });
  });
