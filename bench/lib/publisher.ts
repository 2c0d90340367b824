/**
 * Publishes events over raw keep-alive sockets, one request at a time on each: `node bench/lib/publisher.ts '<json>'`.
 * With `rate` it is open-loop: requests leave on time whether or not earlier ones were answered.
 * Prints `{startedAt, answered, refused, seconds}` as JSON; `startedAt` in nanoseconds of the machine's monotonic clock.
 */
import { connect, type Socket } from 'node:net';

export interface PublisherJob {
  port: number;
  key: string;
  /** Audiences, used in turn. */
  audiences: string[][];
  connections: number;
  seconds: number;
  /** Events per request; 1 sends the single form. */
  batch: number;
  /** Requests per second; absent: as fast as they are answered. */
  rate?: number;
}

const job = JSON.parse(process.argv[2] ?? '{}') as PublisherJob;
let next = 0;
let answered = 0;
let refused = 0;

function event(): string {
  const accounts = job.audiences[next++ % job.audiences.length] as string[];
  const stamp = `ns${process.hrtime.bigint()}`;
  return `{"event":"checkout.started","data":{"tradeSessionId":"${stamp}","side":"INITIATOR","originalPrice":149.9,"tradeAmount":29.9,"currency":"EUR"},"accountIds":${JSON.stringify(accounts)}}`;
}

function request(): string {
  const body = job.batch === 1 ? event() : `{"events":[${Array.from({ length: job.batch }, event).join(',')}]}`;
  return `POST /v1/events HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${job.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

const CONTENT_LENGTH = /content-length: (\d+)/i;

/** Calls `done` per reply, with its status. */
function onReplies(socket: Socket, done: (status: number) => void): void {
  let rest = '';
  socket.on('data', (data) => {
    rest += data.toString('latin1');
    for (;;) {
      const head = rest.indexOf('\r\n\r\n');
      if (head < 0) return;
      const end = head + 4 + Number(CONTENT_LENGTH.exec(rest.slice(0, head))?.[1] ?? 0);
      if (rest.length < end) return;
      done(Number(rest.slice(9, 12)));
      rest = rest.slice(end);
    }
  });
}

const started = performance.now();
const startedAt = Number(process.hrtime.bigint());
const until = started + job.seconds * 1000;
const idle: Socket[] = [];
let open = job.connections;

function finish(): void {
  console.log(JSON.stringify({ startedAt, answered, refused, seconds: (performance.now() - started) / 1000 }));
  process.exit(0);
}

for (let i = 0; i < job.connections; i++) {
  const socket = connect(job.port, '127.0.0.1');
  socket.setNoDelay(true);
  onReplies(socket, (status) => {
    if (status === 202) answered += job.batch;
    else refused += job.batch;
    if (job.rate !== undefined) idle.push(socket);
    else if (performance.now() < until) socket.write(request());
    else if (--open === 0) finish();
  });
  socket.on('connect', () => (job.rate === undefined ? socket.write(request()) : idle.push(socket)));
}

if (job.rate !== undefined) {
  let sent = 0;
  const tick = setInterval(() => {
    const now = performance.now();
    const due = Math.floor(((Math.min(now, until) - started) / 1000) * (job.rate as number));
    while (sent < due && idle.length > 0) {
      idle.pop()?.write(request());
      sent++;
    }
    if (now > until + 300) {
      clearInterval(tick);
      finish();
    }
  }, 1);
}
