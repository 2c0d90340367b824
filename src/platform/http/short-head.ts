import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import type { Octets } from './etag.ts';

/**
 * Sends replies as `writeHead` and `end` would, on connections that are kept. Node looks through each name and value for characters that are not
 * allowed, a tenth of the time of a short reply; here all of them are made by us, from what was looked through, or equal to a setting (an origin). short-way.test.ts and
 * short-body.test.ts hold the two ways equal.
 */
export class ShortHead {
  readonly #clock: Clock;
  #keepAlive = '';
  #date = '';
  /** When `#date` is over. Milliseconds since the epoch. */
  #dateUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long the server keeps a connection on which nothing is asked is known from here on. */
  keepAsLongAs(server: Server): void {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(server.keepAliveTimeout / 1000)}\r\n`;
  }

  /** `fields`: each with its end of line. */
  send(response: ServerResponse, status: number, fields: string, bytes: Octets | undefined): void {
    response.statusCode = status;
    (response as unknown as { _header: string })._header = this.textOf(status, fields);
    response.end(bytes, 'latin1');
  }

  /** The same to a connection whose requests are read ahead of Node's parser, so that there is no response to end. `isLast`: the connection is to end with it. */
  write(socket: Socket, status: number, fields: string, bytes: Octets | undefined, isLast = false): void {
    // Whoever has hung up is not written to.
    if (!socket.writable) return;
    const text = isLast ? this.#lastTextOf(status, fields) : this.textOf(status, fields);
    if (bytes === undefined || typeof bytes === 'string') {
      socket.write(text + (bytes ?? ''), 'latin1');
      return;
    }
    socket.cork();
    socket.write(text, 'latin1');
    socket.write(bytes);
    socket.uncork();
  }

  /** The head as it is sent. */
  textOf(status: number, fields: string): string {
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields}${this.#dateField()}${this.#keepAlive}\r\n`;
  }

  /** The same for the last reply on a connection. */
  #lastTextOf(status: number, fields: string): string {
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields}${this.#dateField()}connection: close\r\n\r\n`;
  }

  /** Made once a second. */
  #dateField(): string {
    const now = this.#clock.now();
    if (now >= this.#dateUntil || now < this.#dateUntil - 1000) {
      this.#dateUntil = now - (now % 1000) + 1000;
      this.#date = `Date: ${new Date(now).toUTCString()}\r\n`;
    }
    return this.#date;
  }
}

/** Asks `answer` first for what comes to the server; what it does not take, or gives back by `takeLong`, goes to those who listened before. */
export function precede(
  server: Server,
  answer: (request: IncomingMessage, response: ServerResponse, takeLong: () => void) => boolean,
): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const takeLong = (): void => {
      for (const listener of listeners) listener.call(server, request, response);
    };
    if (!answer(request, response, takeLong)) takeLong();
  });
}
