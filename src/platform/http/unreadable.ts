import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../../contracts/errors.ts';
import { envelope } from './errors.ts';
import { requestIdOf } from './refusals.ts';

/** What Node says of what it cannot read, where that can be told. */
const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

/**
 * What is no HTTP that Node can read never becomes a request; it is answered here, in the same envelope. A request before it on the
 * same connection gets its own answer instead, which says what became of it, and the connection ends with that.
 */
export class Unreadable {
  readonly #underWay = new WeakMap<Socket, ServerResponse>();

  /** Before anything else answers requests of this server. */
  watch(server: Server): void {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.begun(request, response));
  }

  /** A request that the server does not tell of begins to be answered. */
  begun(request: IncomingMessage, response: ServerResponse): void {
    this.#underWay.set(request.socket, response);
  }

  readonly refuse = (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const response = this.#underWay.get(socket);
    if (response && !response.writableFinished && response.req.complete) {
      response.shouldKeepAlive = false;
      response.once('finish', () => socket.end());
      return;
    }
    // Part of another answer is on its way: nothing more can be said.
    if (response?.headersSent && !response.writableFinished) return void socket.destroy();
    const id = requestIdOf(response?.writableFinished === false ? response.req.headers['x-request-id'] : undefined);
    const message = UNREADABLE[error.code ?? ''] ?? 'This is no HTTP request.';
    const body = JSON.stringify(envelope(new AppError('VALIDATION_ERROR', { message }), id));
    socket.end(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nx-request-id: ${id}\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
  };
}
