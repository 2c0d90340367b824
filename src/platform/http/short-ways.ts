import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AheadOfParser } from './ahead-of-parser.ts';
import { plainRequests } from './plain-request.ts';
import type { ShortBodies } from './short-body.ts';
import { precede } from './short-head.ts';
import type { ShortWay } from './short-way.ts';

/** Node reads as much at once; what is longer is the parser's. Bytes. */
const LONGEST = 65_536;

export interface ShortWaysOptions {
  reads: Pick<ShortWay, 'answer' | 'answerAhead'>;
  bodies: Pick<ShortBodies, 'answer' | 'answerAhead'>;
  /** A request is being answered that the server does not tell of. */
  begun: (request: IncomingMessage, response: ServerResponse) => void;
}

/**
 * Puts the short ways before what listens for the requests of this server: for reads, and for what has a body. A connection that has brought one request for them is
 * expected to bring more, which are read ahead of Node's parser (docs/adr/0016).
 */
export function takeShortWays(server: Server, { reads, bodies, begun }: ShortWaysOptions): void {
  const readers = new WeakMap<Socket, ReturnType<typeof plainRequests>>();
  const ahead = new AheadOfParser((socket, chunk, done) => {
    if (chunk.length > LONGEST) return 'left';
    let reader = readers.get(socket);
    if (!reader) readers.set(socket, (reader = plainRequests()));
    const request = reader.read(chunk);
    if (!request) return 'left';
    if (request.head.method === 'GET') return reads.answerAhead(socket, request.head) ? 'answered' : 'left';
    return bodies.answerAhead(socket, request, done) ? 'under way' : 'left';
  });
  precede(server, (request, response, takeLong) => {
    ahead.given(request);
    const { socket } = request;
    const read = (): void => ahead.read(socket);
    if (reads.answer(request, response)) {
      ahead.expectMore(request);
      // The parser is at work on this one.
      setImmediate(read);
      return true;
    }
    if (!bodies.answer(request, response, takeLong, read)) return false;
    ahead.expectMore(request);
    begun(request, response);
    return true;
  });
}
