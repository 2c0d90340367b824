/**
 * The events: publishing beside a bare insert, how far reactions are behind, and the audit trail with ten million events.
 * `node bench/events.ts` prints the tables that are in RESULTS.md. BENCH_EVENTS: how many for the audit, 10000000;
 * BENCH_SECONDS of each load; BENCH_ROUNDS, of which medians are taken; BENCH_KEEP=1 keeps the database of the audit for the
 * next run (ten million events take some minutes and 12 GB); BENCH_PARTS: some of `ingest,lag,audit`; BENCH_RATE: events per
 * second for the lag, without having measured; BENCH_SLOWEST=1 names the slowest request of each kind. Needs wrk and a
 * superuser of PostgreSQL.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { dropUnlessKept, eventsDatabase } from './events/database.ts';
import { ingest, type IngestResult } from './events/ingest.ts';
import { lag, type LagResult } from './events/lag.ts';
import { bodies } from './events/mix.ts';
import { auditQueries } from './events/queries.ts';
import { eventsSection } from './events/section.ts';
import { atRate } from './lib/at-rate.ts';
import type { OpenLoopJob, OpenLoopResult } from './lib/open-loop.ts';
import { service } from './lib/processes.ts';

const EVENTS = Number(process.env.BENCH_EVENTS ?? 10_000_000);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const PARTS = (process.env.BENCH_PARTS ?? 'ingest,lag,audit').split(',');
/** Audit queries per second, and for how long. */
const FIXED_RATE = 50;
const FIXED_SECONDS = 8;
/** Different events that are published; then another round of them. */
const BODIES = 30_000;

export interface EventsResult {
  events: number;
  ingest: IngestResult[];
  /** Of the lag, events per second. */
  rate: number;
  lag: LagResult[];
  fixedRate: number;
  audit: (OpenLoopResult & { name: string })[];
}

/** One kind of query at the fixed rate. Throws when one is not answered with 200. */
async function atFixedRate(job: OpenLoopJob, name: string): Promise<EventsResult['audit'][number]> {
  const result = await atRate(job, name);
  if (process.env.BENCH_SLOWEST === '1') {
    console.error(`${name}: p99 ${result.p99.toFixed(1)} ms, ${result.max.toFixed(1)} ms for ${result.slowest}`);
  }
  return { ...result, name };
}

async function audit(): Promise<EventsResult['audit']> {
  const url = await eventsDatabase(EVENTS);
  try {
    const client = new Client({ connectionString: url });
    await client.connect();
    const queries = await auditQueries(client, EVENTS, FIXED_RATE * FIXED_SECONDS);
    await client.end();
    // Without readers: they would first have ten million events to read.
    const s = await service(url, 3997, {}, ['--role', 'api']);
    try {
      const results = [];
      for (const [name, paths] of queries) {
        const job = { origin: `http://127.0.0.1:${s.port}`, key: s.operator, paths, rate: FIXED_RATE };
        results.push(await atFixedRate({ ...job, seconds: FIXED_SECONDS }, name));
      }
      return results;
    } finally {
      await s.stop();
    }
  } finally {
    await dropUnlessKept(EVENTS);
  }
}

/** Every part, unless BENCH_PARTS says which. */
export async function events(): Promise<EventsResult> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-bench-'));
  try {
    const file = join(folder, 'bodies');
    await writeFile(file, `${bodies(BODIES).join('\n')}\n`);
    const ingested = PARTS.includes('ingest') ? await ingest({ file, seconds: SECONDS, rounds: ROUNDS }) : [];
    const rate = Number(process.env.BENCH_RATE ?? Math.floor((ingested[0]?.perSecond ?? 4000) / 2));
    const behind = PARTS.includes('lag') ? await lag(file, rate, SECONDS) : [];
    const asked = PARTS.includes('audit') ? await audit() : [];
    return { events: EVENTS, ingest: ingested, rate, lag: behind, fixedRate: FIXED_RATE, audit: asked };
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (import.meta.main) {
  console.log(eventsSection(await events()));
  process.exit(0);
}
