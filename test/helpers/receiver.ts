import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cleanup } from './cleanup.ts';

/** A request as it arrived at a receiver. */
export interface Received {
  path: string;
  /** Names in lower case; several values of one name joined by a comma. */
  headers: Readonly<Record<string, string>>;
  /** The body's bytes, as text. */
  body: string;
}

/** A status, a whole answer, or `never`: the connection stays open without one until `release`. */
export type Answer = number | { status: number; headers?: Record<string, string>; body?: string } | 'never';
/** Chooses the answer; `nth` counts the requests of this receiver from 0. */
export type Script = (request: Received, nth: number) => Answer;

/** A real HTTP server that does as its script says and keeps what it got. */
export class Receiver {
  readonly received: Received[] = [];
  script: Script;
  readonly #kept: ServerResponse[] = [];
  readonly #server = createServer((request, response) => void this.#take(request, response));

  constructor(script: Script) {
    this.script = script;
  }

  async listen(): Promise<void> {
    await new Promise<void>((done, failed) => this.#server.once('error', failed).listen(0, '127.0.0.1', done));
  }

  /** Address of a path of this receiver. */
  url(path = '/hook'): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** What came to one path. */
  at(path: string): Received[] {
    return this.received.filter((r) => r.path === path);
  }

  /** Requests that wait for an answer. */
  get waiting(): number {
    return this.#kept.length;
  }

  /** Of those that wait, the ones whose sender has not given up. */
  get held(): number {
    return this.#kept.filter(({ destroyed }) => !destroyed).length;
  }

  /** Answers, by default 200, those that have waited longest; all of them without a number. */
  release(count = this.#kept.length, status = 200): void {
    for (const response of this.#kept.splice(0, count)) response.writeHead(status).end('late');
  }

  async close(): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done));
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
    const received: Received = {
      path: request.url ?? '',
      headers: Object.fromEntries(headers),
      body: Buffer.concat(chunks).toString('utf8'),
    };
    const answer = this.script(received, this.received.push(received) - 1);
    if (answer === 'never') {
      this.#kept.push(response);
      return;
    }
    const whole = typeof answer === 'number' ? { status: answer } : answer;
    response.writeHead(whole.status, whole.headers).end(whole.body ?? 'ok');
  }
}

/** A receiver that listens until the end of the test file. */
export async function startReceiver(script: Script = () => 200): Promise<Receiver> {
  const receiver = new Receiver(script);
  await receiver.listen();
  cleanup(() => receiver.close());
  return receiver;
}
