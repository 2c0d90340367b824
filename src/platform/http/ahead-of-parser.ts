import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** What is used of Node's own that is not documented; its version is pinned. `0` is called at the first byte of each request. */
type HttpSocket = Socket & {
  parser?: { 0?: unknown } | null;
  _httpMessage?: unknown;
  _handle?: { reading?: boolean } | null;
  [STATE]?: State;
};

const STATE = Symbol('ahead of the parser');

/** What is known of a connection on which whole requests are taken ahead of the parser. */
interface State {
  /** Requests that the parser has begun to read, and those that it has given. */
  begun: number;
  given: number;
  last: IncomingMessage;
  reads: boolean;
}

/**
 * Stands for the reply in the place in which Node looks whether a connection rests: it neither closes it then, nor begins to answer the next request
 * that its parser reads.
 */
const UNDER_WAY = { finished: false, writableEnded: false, emit: (): boolean => true };

/** What became of what came: nothing; it was a whole request and has its reply; or it is one, and has it once `done` is called, later than this is returned. */
type Taken = 'left' | 'answered' | 'under way';

/** Takes what came on a connection, which is at the end of a request. `isLast`: the connection ends with it. */
export type TakeChunk = (socket: Socket, chunk: Buffer, done: (isLast?: true) => void) => Taken;

/**
 * Reads connections of Node's server ahead of its parser, which keeps everything else: connections, their times and ends, and whatever `take` does not
 * take, which it gets as it came. Only where requests come that are worth it: others are read by the parser from the socket itself, which is faster.
 */
export class AheadOfParser {
  readonly #take: TakeChunk;

  constructor(take: TakeChunk) {
    this.#take = take;
  }

  /** The parser has given a request. To be told of each. */
  given(request: IncomingMessage): void {
    const state = (request.socket as HttpSocket)[STATE];
    if (!state) return;
    state.given++;
    state.last = request;
  }

  /** From the next one on, requests of its connection are read here. Within the event of the request. */
  expectMore(request: IncomingMessage): void {
    const socket = request.socket as HttpSocket;
    if (socket[STATE] || !socket.parser || socket.listenerCount('data') !== 1) return;
    const state: State = { begun: 1, given: 1, last: request, reads: false };
    socket[STATE] = state;
    socket.parser[0] = () => state.begun++;
  }

  /** What was expected comes true, outside of the parser. */
  read(given: Socket): void {
    const socket = given as HttpSocket;
    const state = socket[STATE];
    // Not while it is paused: the parser has taken the bytes from below the socket, which would not go on reading then. The next reply tries again.
    if (!state || state.reads || socket.destroyed || !socket.parser || !socket._handle?.reading) return;
    state.reads = true;
    const [toParser] = socket.listeners('data') as ((chunk: Buffer) => void)[];
    if (!toParser || socket.listenerCount('data') !== 1) return;
    let isTaken = false;
    let isHeld = false;
    const onData = (chunk: Buffer): void => {
      // Behind a CONNECT, the parser may be another connection's already.
      if (socket.destroyed || !socket.parser) return;
      if (isTaken) {
        // One after the other: what comes meanwhile waits in the socket.
        isHeld = true;
        socket.pause();
        socket.unshift(chunk);
        return;
      }
      const taken = isAtRest(socket, state) ? this.#take(socket, chunk, done) : 'left';
      if (taken === 'left') toParser(chunk);
      if (taken !== 'under way') return;
      isTaken = true;
      socket._httpMessage = UNDER_WAY;
    };
    const done = (isLast?: true): void => {
      if (socket._httpMessage === UNDER_WAY) socket._httpMessage = null;
      if (isLast) {
        // What has come behind it has no answer.
        socket.destroySoon();
        return;
      }
      isTaken = false;
      if (!isHeld) return;
      isHeld = false;
      socket.resume();
    };
    socket.on('data', onData);
    socket.off('data', toParser);
  }
}

/**
 * Whether what comes next begins a request, and nothing is to be answered before it. Where replies are not read, the parser gets it: with the next
 * request it stops reading until they are. Behind the last reply of a connection it knows that nothing is to be answered. Behind a request to speak
 * another protocol (`Upgrade`) it swallows what it cannot read, without a word, until it has read another request: so it gets that one.
 */
const isAtRest = (socket: HttpSocket, { begun, given, last }: State): boolean =>
  begun === given &&
  last.complete &&
  last.headers.upgrade === undefined &&
  socket.writable &&
  !socket.writableNeedDrain &&
  !socket._httpMessage &&
  typeof socket.parser?.[0] === 'function';
