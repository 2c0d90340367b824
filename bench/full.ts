/**
 * A full database beside an empty one: ten million events, twenty million deliveries and a million posts beside none and a thousand.
 * `node bench/full.ts` prints the section of RESULTS.md. BENCH_EVENTS: how many, 10000000; BENCH_POSTS: how many, 1000000; BENCH_ROUNDS:
 * 3; BENCH_SECONDS of each load. Takes 45 GB of disk and most of an hour. Needs what bench/blog.ts needs, and pg_prewarm
 * (of PostgreSQL's contrib).
 */
import { type BlogDatabase, blogDatabase } from './blog/database.ts';
import { Figures } from './full/figures.ts';
import { FAN_OUT } from './full/fill.ts';
import { type Retention, retentionUnderLoad } from './full/retention.ts';
import { type Kind, type Rates, SECONDS, Side, WARM_UP } from './full/side.ts';
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

/** The blog's database under this name; where it is to be kept, a copy of it. */
async function takenAs(blog: BlogDatabase, name: string): Promise<string> {
  const of = new URL(blog.url).pathname.slice(1);
  if (process.env.BENCH_KEEP === '1') return freshDatabase(name, of);
  await admin(`drop database if exists ${name} with (force)`, `alter database ${of} rename to ${name}`);
  return Object.assign(new URL(blog.url), { pathname: `/${name}` }).href;
}

/** Both sides in turn for each kind of measurement, so that a slow minute of the machine is on both; some rounds of all. */
export async function full(): Promise<FullResult> {
  const started = performance.now();
  const told = (what: string): void => console.error(`${((performance.now() - started) / 1000).toFixed(0)} s: ${what}`);
  const to = await receiver();
  const [few, many] = [await blogDatabase(FEW_POSTS), await blogDatabase(POSTS)];
  const urls = { empty: await takenAs(few, 'posthorn_bench_empty'), full: await takenAs(many, 'posthorn_bench_full') };
  told('the posts are there');
  const sides: Side[] = [];
  try {
    const shared = { to, told };
    const full = await Side.start({ ...shared, url: urls.full, plan: many.plan, port: PORTS.full, events: EVENTS });
    sides.push(full);
    const empty = await Side.start({ ...shared, url: urls.empty, plan: few.plan, port: PORTS.empty, events: 0 });
    sides.push(empty);
    told('both are served');
    const rates: Rates = {};
    const measured = [empty, full].map((side) => ({ side, kinds: side.kinds(rates), figures: new Figures() }));
    const kinds = measured[0]?.kinds.length ?? 0;
    for (let round = 0; round < ROUNDS; round++) {
      for (let kind = 0; kind < kinds; kind++)
        for (const { kinds, figures } of round % 2 === 0 ? measured : measured.toReversed())
          figures.add(await (kinds[kind] as Kind)());
      told(`${round + 1} rounds`);
    }
    const [ofEmpty, ofFull] = measured.map(({ figures }) => figures.all());
    const rows = [...(ofEmpty ?? [])].map(([name, value]) => ({
      name,
      empty: value,
      full: ofFull?.get(name) ?? Number.NaN,
    }));
    console.error(JSON.stringify(rows));
    await empty.stop();
    const rate = rates.ten ?? 0;
    const retention = await retentionUnderLoad(full, { url: urls.full, port: PORTS.other, rate, to });
    return { rows, retention };
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
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
database without events and with ${FEW_POSTS.toLocaleString('en-US')} posts. Both are served at the same time by processes of their own and measured in turn; ${ROUNDS} rounds of ${SECONDS} s: of a number the median, of times
the quantiles of all of them. Lists, searches and pages are asked 50 times a second, without the cache, those of the blog after up to ${WARM_UP} others; what they read of the posts was read into memory at the beginning. How much dearer it is on the full one: above 1, worse.

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
