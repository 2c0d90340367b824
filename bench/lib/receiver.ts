/**
 * A receiver that costs as little as possible: raw sockets, a fixed reply, no parsing beyond where a request ends. Run as
 * a process of its own: `node bench/lib/receiver.ts [<milliseconds before each reply> [<status of each reply>]]`. Its first line says its port; on each line of standard input it
 * prints what it has counted, as JSON: on `latencies` with all of them, after which it forgets them, as after `reset`.
 */
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const delayMs = Number(process.argv[2] ?? 0);
const REPLY = Buffer.from(`HTTP/1.1 ${process.argv[3] ?? '200'} OK\r\nContent-Length: 2\r\n\r\nok`);
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const LENGTH = Buffer.from('content-length: ');
const STAMP = Buffer.from('Id":"ns');

let count = 0;
let lastAt = 0;
let latencies: number[] = [];

/** An id of the form `ns<monotonic nanoseconds>` says when the event was published (the clock is the machine's). */
function measure(chunk: Buffer, from: number, to: number): void {
  const at = chunk.indexOf(STAMP, from);
  if (at < 0 || at > to) return;
  const start = at + STAMP.length;
  const sent = Number(chunk.toString('latin1', start, chunk.indexOf(34, start)));
  latencies.push((Number(process.hrtime.bigint()) - sent) / 1e6);
}

const server = createServer((socket) => {
  socket.setNoDelay(true);
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (data) => {
    const chunk = rest.length > 0 ? Buffer.concat([rest, data]) : data;
    let from = 0;
    for (;;) {
      const head = chunk.indexOf(END_OF_HEAD, from);
      if (head < 0) break;
      const at = chunk.indexOf(LENGTH, from);
      const length =
        at < 0 || at > head
          ? 0
          : Number.parseInt(chunk.toString('latin1', at + LENGTH.length, at + LENGTH.length + 8), 10);
      const end = head + 4 + length;
      if (end > chunk.length) break;
      count++;
      measure(chunk, head, end);
      if (delayMs === 0) socket.write(REPLY);
      else setTimeout(() => socket.write(REPLY), delayMs);
      from = end;
    }
    if (from > 0) lastAt = Number(process.hrtime.bigint());
    rest = from < chunk.length ? Buffer.from(chunk.subarray(from)) : Buffer.alloc(0);
  });
  socket.on('error', () => undefined);
});

const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;

server.listen(0, '127.0.0.1', () => console.log((server.address() as { port: number }).port));
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const sorted = latencies.toSorted((a, b) => a - b);
    console.log(
      JSON.stringify({
        count,
        lastAt,
        p50: quantile(sorted, 0.5),
        p99: quantile(sorted, 0.99),
        max: sorted.at(-1) ?? 0,
        ...(line === 'latencies' ? { latencies: sorted } : {}),
      }),
    );
    if (line !== '') latencies = [];
  })
  .on('close', () => process.exit(0));
