/**
 * Publishes events over raw keep-alive sockets at a fixed rate: `node bench/lib/publisher.ts '<json>'`. Open-loop: requests
 * leave on time whether or not earlier ones were answered, over connections that are open before the first. Each event holds the moment of its publication.
 * Prints `{answered, refused}` as JSON.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

export interface PublisherJob {
  port: number;
  key: string;
  /** Audiences, used in turn, with an event of lib/event.ts; and no bodies. */
  audiences?: string[][];
  event?: string;
  /** Events of a request; default 1. */
  batch?: number;
  /** A file of bodies, one per line, used in turn; `@@` in them is the number of the round. */
  bodies?: string;
  connections: number;
  seconds: number;
  /** Requests per second. */
  rate?: number;
}

const job = JSON.parse(process.argv[2] ?? '{}') as PublisherJob & { rate: number };
const { batch = 1 } = job;
const bodies = job.bodies === undefined ? null : readFileSync(job.bodies, 'utf8').trimEnd().split('\n');
let next = 0;
let answered = 0;
let refused = 0;

function bodyOf(n: number): string {
  if (bodies !== null) {
    return (bodies[n % bodies.length] as string).replaceAll('@@', `r${Math.floor(n / bodies.length)}`);
  }
  const audiences = job.audiences as string[][];
  const accounts = audiences[n % audiences.length];
  const stamped = (job.event as string).replace('@@', `ns${process.hrtime.bigint()}`);
  return `{${stamped},"accountIds":${JSON.stringify(accounts)}}`;
}

function request(): string {
  const body =
    batch === 1 ? bodyOf(next++) : `{"events":[${Array.from({ length: batch }, () => bodyOf(next++)).join(',')}]}`;
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

/** A keep-alive connection that has answered once: opening it is no part of what is measured. */
function open(): Promise<Socket> {
  return new Promise((opened) => {
    const socket = connect(job.port, '127.0.0.1');
    socket.setNoDelay(true);
    let isOpen = false;
    onReplies(socket, (status) => {
      if (!isOpen) {
        isOpen = true;
        opened(socket);
        return;
      }
      if (status === 202) answered++;
      else refused++;
      idle.push(socket);
    });
    socket.on('connect', () => socket.write('GET /healthz HTTP/1.1\r\nHost: bench\r\n\r\n'));
  });
}

const idle: Socket[] = [];
idle.push(...(await Promise.all(Array.from({ length: job.connections }, open))));
const started = performance.now();
const until = started + job.seconds * 1000;
let sent = 0;
const tick = setInterval(() => {
  const now = performance.now();
  const due = Math.floor(((Math.min(now, until) - started) / 1000) * job.rate);
  while (sent < due && idle.length > 0) {
    idle.pop()?.write(request());
    sent++;
  }
  if (now > until + 300) {
    clearInterval(tick);
    console.log(JSON.stringify({ answered, refused }));
    process.exit(0);
  }
}, 1);
