/**
 * Asks at a fixed rate, whether or not earlier requests were answered: `node bench/lib/open-loop.ts`, with the job as the
 * first line of input. Prints `OpenLoopResult` as JSON.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Agent } from 'undici';

export interface OpenLoopJob {
  origin: string;
  key: string;
  /** Used in turn. */
  paths: readonly string[];
  /** Asked first, one after the other, and not counted; by default ten of `paths`. */
  warmUp?: readonly string[];
  /** POST: each with an Idempotency-Key of its own, and no body. */
  method?: 'GET' | 'POST';
  /** Requests per second. */
  rate: number;
  seconds: number;
}

/** Times from the request's writing to the reply's last byte. Milliseconds. */
export interface OpenLoopResult {
  p50: number;
  p99: number;
  max: number;
  /** All of them, shortest first. */
  times: number[];
  /** Of the slowest one. */
  slowest: string;
  /** Replies that were not 2xx. */
  failed: number;
}

const [line] = (await once(createInterface({ input: process.stdin }), 'line')) as [string];
const job = JSON.parse(line) as OpenLoopJob;
const { method = 'GET' } = job;
const agent = new Agent({ connections: 64, pipelining: 1 });
const times: { ms: number; path: string }[] = [];
let failed = 0;

async function ask(path: string): Promise<void> {
  const started = performance.now();
  const headers = {
    authorization: `Bearer ${job.key}`,
    ...(method === 'POST' ? { 'idempotency-key': randomUUID() } : {}),
  };
  const reply = await agent.request({ origin: job.origin, method, path, headers });
  await reply.body.arrayBuffer();
  if (reply.statusCode < 200 || reply.statusCode > 299) failed++;
  times.push({ ms: performance.now() - started, path });
}

// Connections, and the code on both sides, are warm before the count.
const last = Array.from({ length: 10 }, (_, i) => job.paths[job.paths.length - 1 - (i % job.paths.length)] as string);
for (const path of job.warmUp ?? last) await ask(path);
times.length = 0;
const total = job.rate * job.seconds;
const started = performance.now();
const asked: Promise<void>[] = [];
while (asked.length < total) {
  const due = Math.floor(((performance.now() - started) / 1000) * job.rate) + 1;
  while (asked.length < Math.min(due, total)) asked.push(ask(job.paths[asked.length % job.paths.length] as string));
  await new Promise((done) => setTimeout(done, 1));
}
await Promise.all(asked);
times.sort((a, b) => a.ms - b.ms);
const at = (q: number) => times[Math.min(times.length - 1, Math.floor(times.length * q))] as (typeof times)[number];
const result: OpenLoopResult = {
  p50: at(0.5).ms,
  p99: at(0.99).ms,
  max: at(1).ms,
  times: times.map(({ ms }) => ms),
  slowest: at(1).path,
  failed,
};
console.log(JSON.stringify(result));
process.exit(0);
