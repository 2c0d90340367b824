/**
 * A full database beside an empty one: ten million events, twenty million deliveries and a million posts beside none and a thousand.
 * `node bench/full.ts` prints the section of RESULTS.md. BENCH_EVENTS: how many, 10000000; BENCH_POSTS: how many, 1000000; BENCH_ROUNDS, of which
 * medians are taken, 3; BENCH_SECONDS of each load. Takes 45 GB of disk and most of an hour. Needs what bench/blog.ts needs.
 */
import { type BlogDatabase, blogDatabase, dropUnlessKept } from './blog/database.ts';
import { FAN_OUT } from './full/fill.ts';
import { type Retention, retentionUnderLoad } from './full/retention.ts';
import { type Figures, Side } from './full/side.ts';
import { admin, freshDatabase } from './lib/processes.ts';
import { receiver } from './lib/receivers.ts';

const EVENTS = Number(process.env.BENCH_EVENTS ?? 10_000_000);
const POSTS = Number(process.env.BENCH_POSTS ?? 1_000_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const FEW_POSTS = 1000;
const PORTS = { empty: 3970, full: 3974, other: 3978 };

export interface FullRow {
  name: string;
  empty: number;
  full: number;
}

export interface FullResult {
  rows: FullRow[];
  retention: Retention;
}

/** A database of this name that is as the blog's; the blog's is dropped, unless it is to be kept. */
async function copyOf(blog: BlogDatabase, name: string): Promise<string> {
  const template = new URL(blog.url).pathname.slice(1);
  const url = await freshDatabase(name, template);
  await dropUnlessKept(blog);
  return url;
}

/** Of an even number, the mean of the two in the middle. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [from, to] = [(sorted.length - 1) >> 1, sorted.length >> 1];
  return ((sorted[from] ?? Number.NaN) + (sorted[to] ?? Number.NaN)) / 2;
}

/** Both sides in turn, some rounds of each; medians. */
export async function full(): Promise<FullResult> {
  const started = performance.now();
  const told = (what: string): void => console.error(`${((performance.now() - started) / 1000).toFixed(0)} s: ${what}`);
  const to = await receiver();
  const [few, many] = [await blogDatabase(FEW_POSTS), await blogDatabase(POSTS)];
  const urls = { empty: await copyOf(few, 'posthorn_bench_empty'), full: await copyOf(many, 'posthorn_bench_full') };
  told('the posts are there');
  const shared = { to, told };
  const sides: Partial<Record<'empty' | 'full', Side>> = {};
  try {
    const full = (sides.full = await Side.start({
      ...shared,
      url: urls.full,
      plan: many.plan,
      port: PORTS.full,
      events: EVENTS,
    }));
    const empty = (sides.empty = await Side.start({
      ...shared,
      url: urls.empty,
      plan: few.plan,
      port: PORTS.empty,
      events: 0,
    }));
    const rounds = { empty: [] as Figures[], full: [] as Figures[] };
    let rates: Record<'one' | 'ten', number> | null = null;
    for (let round = 0; round < ROUNDS; round++) {
      const order: ['empty' | 'full', Side][] = [
        ['empty', empty],
        ['full', full],
      ];
      for (const [name, side] of round % 2 === 0 ? order : order.toReversed()) {
        const figures: Figures = new Map();
        const one: number = await side.deliveries('one', figures, rates?.one ?? null);
        const ten: number = await side.deliveries('ten', figures, rates?.ten ?? null);
        rates ??= { one, ten };
        await side.reads(figures);
        await side.writes(figures);
        rounds[name].push(figures);
        told(`${name}: ${JSON.stringify(Object.fromEntries(figures))}`);
      }
    }
    const of = (name: string, which: Figures[]): number => median(which.map((f) => f.get(name) ?? Number.NaN));
    const rows = [...(rounds.empty[0] as Figures).keys()].map((name) => ({
      name,
      empty: of(name, rounds.empty),
      full: of(name, rounds.full),
    }));
    await empty.stop();
    const rate = rates?.ten ?? 0;
    const retention = await retentionUnderLoad(full, { url: urls.full, port: PORTS.other, rate, to });
    return { rows, retention };
  } finally {
    await Promise.all([sides.full?.stop(), sides.empty?.stop()]);
    await to.stop();
    await admin('drop database if exists posthorn_bench_empty with (force)');
    await admin('drop database if exists posthorn_bench_full with (force)');
  }
}

/** How much dearer anything may be on the full one. */
const MOST = 1.5;

const n = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value < 10 ? 1 : 0);
/** Above 1: so many times as dear on the full one. */
const worse = ({ name, empty, full: many }: FullRow): number => (name.endsWith('/s') ? empty / many : many / empty);

/** As RESULTS.md has it. */
export function fullSection({ rows, retention: r }: FullResult): string {
  return `## A full database

\`node bench/full.ts\`: ${EVENTS.toLocaleString('en-US')} events of the last four weeks with ${(FAN_OUT * EVENTS).toLocaleString('en-US')} deliveries, and ${POSTS.toLocaleString('en-US')} posts, beside a
database without events and with ${FEW_POSTS.toLocaleString('en-US')} posts. Both are served at the same time by processes of their own and measured in turn; medians of ${ROUNDS} rounds. Lists, searches and pages are
asked 50 times a second, without the cache. How much dearer it is on the full one: above 1, worse.

| What | empty | full | how much dearer | at most ${MOST} |
|---|---|---|---|---|
${rows.map((row) => `| ${row.name} | ${n(row.empty)} | ${n(row.full)} | ${worse(row).toFixed(2)} | ${worse(row) <= MOST ? 'yes' : 'no'} |`).join('\n')}

Retention under load, on the full one: deliveries at fan-out 10 at the rate above, beside which another node removed ${n(r.removed)} deliveries that were
past their retention with the parts that they were in, and moved ${n(r.moved)} that are kept, in ${r.seconds.toFixed(1)} s. From publishing to receipt with another node that removed nothing p50 ${n(r.before.p50)} ms, p99
${n(r.before.p99)} ms; with that one p50 ${n(r.during.p50)} ms, p99 ${n(r.during.p99)} ms (${(r.during.p99 / r.before.p99).toFixed(2)} times).
`;
}

if (import.meta.main) {
  console.log(fullSection(await full()));
  process.exit(0);
}
