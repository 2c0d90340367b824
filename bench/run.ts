/** `npm run bench`: every scenario, and RESULTS.md rewritten with what it printed. About an hour, most of it the blog of a million posts and the audit trail of ten million events; BENCH_POSTS and BENCH_EVENTS take other sizes. It needs PostgreSQL (BENCH_DATABASE_URL of a superuser, else postgres at 127.0.0.1:5432), wrk, and for the blog the archive of real posts that the tests use and 14 GB of disk. */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { backlog, type BacklogResult } from './backlog.ts';
import { blog, type BlogResult } from './blog.ts';
import { blogSection } from './blog/section.ts';
import { cores, type CoresRow, coresSection } from './cores.ts';
import { dashboard, dashboardSection, type PageTimes } from './dashboard.ts';
import { deliveries, type Row } from './deliveries.ts';
import { events, type EventsResult } from './events.ts';
import { eventsSection } from './events/section.ts';
import { hanging, type HangingRow, hangingSection } from './hanging.ts';
import { type ReadRow, reads } from './reads.ts';

const n = (value: number): string => Math.round(value).toLocaleString('en-US');
const share = (value: number): string => value.toFixed(2);

const deliveryRow = (m: Row): string =>
  `| ${m.name} | ${n(m.ceiling)} | ${n(m.publishedPerSecond)} | ${n(m.deliveredPerSecond)} | ${share(m.ofCeiling)} | ${m.rounds.map(share).join(', ')} | ${m.p50.toFixed(1)} | ${m.p99.toFixed(1)} | ${n(m.serviceMicros)} | ${n(m.postgresMicros)} | ${m.lost} |`;
const readRow = (r: ReadRow): string =>
  `| ${r.name} | ${n(r.bytes)} | ${n(r.requestsPerSecond)} | ${share(r.ofBare)} |`;

interface Results {
  rows: readonly Row[];
  backlogResult: BacklogResult;
  hangingRows: readonly HangingRow[];
  eventsResult: EventsResult;
  readRows: readonly ReadRow[];
  coresRows: readonly CoresRow[];
  blogResults: readonly BlogResult[];
  pageTimes: readonly PageTimes[];
}

function page({
  rows,
  backlogResult: b,
  hangingRows,
  eventsResult,
  readRows,
  coresRows,
  blogResults,
  pageTimes,
}: Results): string {
  return `# Results

Written by \`npm run bench\`, or a section by the command that it names, on machines of one kind that differ by a factor of
two from day to day: figures of two sections are not to be compared. Everything runs on the same
${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}: service, PostgreSQL with fsync on, load generator and receiver.
Absolute figures move from run to run; the ratios are what counts.

## Deliveries

\`node bench/deliveries.ts\`. Ceiling: bare undici \`dispatch\` of signed POSTs of the same size to a receiver that answers at
once, right before each run. Single events by POST /v1/events (wrk), one at a time on each of 128 (fan-out 10: 16, fan-out 100: 4) connections; each is committed
before its 202, delivered to a receiver over HTTP and its outcome stored with the attempt's log. Latency is from the
publisher's write to the receiver's read at half of the full rate. CPU is per delivery, read from /proc over the full-rate
run. The row is the round whose part of the ceiling is the median. Lost: deliveries of committed events, over all rounds.

| Scenario | ceiling/s | published/s | delivered/s | of ceiling | every round | p50 ms | p99 ms | service µs | PostgreSQL µs | lost |
|---|---|---|---|---|---|---|---|---|---|---|
${rows.map(deliveryRow).join('\n')}

What the rest of the ceiling costs at fan-out 1: taking the request in (HTTP, key, limits, validation), the event's row,
the delivery's row with its attempt log, and PostgreSQL, the publisher and the receiver on the same two cores. At fan-out
10 the request and the event's row are shared by ten deliveries.

\`node bench/backlog.ts\` (BENCH_BACKLOG: rows): new events at fan-out 1 as above, alone and beside deliveries of ${n(b.endpoints)} other endpoints
that are all due. A claim takes 200 rows. The service runs with a heap of 192 MB.

| due | new/s alone | new/s beside | of alone | claim ms, all due | claim ms, a tenth due | greatest RSS MB | drained/s after | drain s | lost |
|---|---|---|---|---|---|---|---|---|---|
| ${n(b.rows)} | ${n(b.without)} | ${n(b.beside)} | ${share(b.beside / b.without)} | ${b.claimMs.full.toFixed(1)} | ${b.claimMs.tenth.toFixed(1)} | ${n(b.rssMb)} | ${n(b.drainedPerSecond)} | ${n(b.drainSeconds)} | ${b.lost} |

${hangingSection(hangingRows)}
${eventsSection(eventsResult)}
## Public reads

\`node bench/reads.ts\`: 1,000 posts, wrk with 32 connections, beside a bare Fastify that sends the same bytes. The
replies are ready-made (docs/adr/0016); the rest is the key, its rate limit, and the header fields that a reply carries.

| Read | bytes | requests/s | of bare Fastify |
|---|---|---|---|
${readRows.map(readRow).join('\n')}

${coresSection(coresRows)}
${blogSection(blogResults)}
${dashboardSection(pageTimes)}`;
}

const text = page({
  rows: await deliveries(),
  backlogResult: await backlog(),
  hangingRows: await hanging(),
  eventsResult: await events(),
  readRows: await reads(),
  coresRows: await cores(),
  blogResults: await blog(),
  pageTimes: await dashboard(),
});
await writeFile(new URL('RESULTS.md', import.meta.url), text);
console.log(text);
process.exit(0);
