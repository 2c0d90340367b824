import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Ends connections on which more than `most` bytes of a body come behind its reply: the body of a request that was refused by its head, or of one that takes
 * none, is passed over by Node, to an end that whoever sends it may never come to. Up to there it is, since a connection that is closed under somebody who still sends
 * takes the reply away, too. Before anything else answers requests of this server.
 */
export function boundUnread(server: Server, most: number): void {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { 'transfer-encoding': coding, 'content-length': length = '0' } = request.headers;
    if (coding === undefined && Number(length) <= most) return;
    // Ahead of Node's own listener, which has nobody told of what is passed over.
    response.prependOnceListener('finish', () => {
      if (request.complete) return;
      let passed = 0;
      request.on('data', (part: Buffer) => {
        passed += part.length;
        if (passed > most) request.socket.destroy();
      });
      request.resume();
    });
  });
}
