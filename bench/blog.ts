/**
 * The blog at several sizes: reads at full load with the cache and without, reads at a fixed rate, likes, views,
 * publishing. `node bench/blog.ts` prints the tables that are in RESULTS.md. BENCH_POSTS: sizes, `1000,100000,1000000`;
 * BENCH_SECONDS of each load; BENCH_ROUNDS, of which medians are taken; BENCH_KEEP=1 keeps the databases for the next
 * run (a million posts take some minutes and 14 GB); BENCH_SLOWEST=1 names the slowest request of each kind. Needs
 * wrk, a superuser of PostgreSQL and the archive of real posts that the tests use.
 */
import { type BlogDatabase, blogDatabase, dropUnlessKept } from './blog/database.ts';
import type { PlannedPost } from './blog/plan.ts';
import { list, queriesOf } from './blog/queries.ts';
import { measureRead, median, type ReadResult, type Servers, targetsOf } from './blog/reads.ts';
import { blogSection } from './blog/section.ts';
import { addLikers, publishing, storm, type StormTarget } from './blog/storms.ts';
import { atRate } from './lib/at-rate.ts';
import type { OpenLoopResult } from './lib/open-loop.ts';
import { account, adminUrl, type BenchService, service, withClient } from './lib/processes.ts';

const SIZES = (process.env.BENCH_POSTS ?? '1000,100000,1000000').split(',').map(Number);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** Requests per second, and for how long. */
const FIXED_RATE = 50;
const FIXED_SECONDS = 8;
const FIXED_REQUESTS = FIXED_RATE * FIXED_SECONDS;
/** Requests of each kind before those that count: the code of the kind has run before, as in a service that runs. */
const WARM_UP = 100;
/** Says what the machine alone makes of a request at this rate. */
const READY = 'for comparison: a list that is ready-made';
const EDITOR = { email: 'editor@bench.example', password: 'bench-editor-password' };

export interface BlogResult {
  posts: number;
  reads: ReadResult[];
  fixed: (OpenLoopResult & { name: string; different: number })[];
  writes: { name: string; perSecond: number; p99: number }[];
}

/** One kind of request at the fixed rate. Throws when one is not answered with 200. */
async function atFixedRate(
  servers: Servers,
  name: string,
  all: string[],
  seconds = FIXED_SECONDS,
): Promise<BlogResult['fixed'][number]> {
  const paths = all.slice(0, FIXED_REQUESTS);
  const warmUp = all.slice(-WARM_UP);
  const job = { origin: servers.uncached, key: servers.key, paths, warmUp, rate: FIXED_RATE, seconds };
  const result = await atRate(job, name);
  if (process.env.BENCH_SLOWEST === '1') console.error(`${name}: ${result.max.toFixed(1)} ms for ${result.slowest}`);
  return { ...result, name, different: paths.length };
}

/** A name and its paths. */
type BenchKind = [name: string, paths: string[]];

/** The round whose p99 is the median. */
function medianRound(rounds: BlogResult['fixed']): BlogResult['fixed'][number] {
  const sorted = rounds.toSorted((a, b) => a.p99 - b.p99);
  return sorted[Math.floor(sorted.length / 2)] as BlogResult['fixed'][number];
}

/** The access token of an editor, who is there already in a database that was kept. */
async function editorOf(s: BenchService): Promise<string> {
  const signIn = async () => (await s.call<{ accessToken: string }>('POST', '/v1/auth/sign-in', EDITOR)).accessToken;
  return signIn().catch(async () => {
    await s.call('POST', '/v1/admin/users', { ...EDITOR, name: 'Editor', blogRole: 'EDITOR' }, s.operator);
    return signIn();
  });
}

async function measureWrites(target: StormTarget, s: BenchService, body: string): Promise<BlogResult['writes']> {
  await addLikers(target.databaseUrl);
  const writes: BlogResult['writes'] = [];
  for (const kind of ['like', 'view'] as const) {
    const rounds = [];
    for (let i = 0; i < ROUNDS; i++) rounds.push(await storm(target, kind, SECONDS));
    const p99 = median(rounds.map((r) => r.p99));
    writes.push({ name: `${kind} of one post`, perSecond: median(rounds.map((r) => r.perSecond)), p99 });
  }
  const perSecond = await publishing(s, await editorOf(s), body, 2 * SECONDS);
  return [...writes, { name: 'publish', perSecond, p99: Number.NaN }];
}

async function measure(database: BlogDatabase): Promise<BlogResult> {
  const { plan, posts, url } = database;
  const cached = await service(url, 3993);
  const uncached = await service(url, 3994, { BLOG_CACHE_MB: '0' });
  try {
    const { key } = await account(cached, 'SITE', ['blog:read']);
    const origin = (s: BenchService): string => `http://127.0.0.1:${s.port}`;
    const servers: Servers = { key, cached: origin(cached), uncached: origin(uncached) };
    const kinds = await queriesOf(database, FIXED_REQUESTS + WARM_UP);
    // What all kinds share has run before the first of them is measured.
    for (const [name, paths] of kinds) await atFixedRate(servers, name, paths.slice(-WARM_UP), WARM_UP / FIXED_RATE);
    const ready: [BenchKind, Servers] = [[READY, [list({})]], { ...servers, uncached: servers.cached }];
    const asked = [ready, ...kinds.map((kind): [BenchKind, Servers] => [kind, servers])];
    const rounds: BlogResult['fixed'][] = asked.map(() => []);
    // One kind after the other in each round, so that what disturbs the machine for a while is in one round of each at most.
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, [[name, paths], of]] of asked.entries()) rounds[i]?.push(await atFixedRate(of, name, paths));
    }
    const fixed = rounds.map(medianRound);
    const reads: ReadResult[] = [];
    for (const target of targetsOf(plan, plan.engaged()[0] as PlannedPost)) {
      reads.push(await measureRead(servers, target, { seconds: SECONDS, rounds: ROUNDS }));
    }
    const target = { service: cached, databaseUrl: url, key };
    return { posts, reads, fixed, writes: await measureWrites(target, cached, plan.material.bodies[0] as string) };
  } finally {
    await Promise.all([cached.stop(), uncached.stop()]);
  }
}

/** Every size, smallest first. */
export async function blog(): Promise<BlogResult[]> {
  const results: BlogResult[] = [];
  for (const posts of SIZES.toSorted((a, b) => a - b)) {
    const database = await blogDatabase(posts);
    try {
      results.push(await measure(database));
    } finally {
      await dropUnlessKept(database);
    }
  }
  return results;
}

/** What the server of BENCH_DATABASE_URL has for pages (what does not fit there is read from elsewhere), and whether it was asked for huge ones; `on` is had. */
export const memoryOf = (): Promise<string> =>
  withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ name: string; value: string }>(
      "select name, current_setting(name) as value from pg_settings where name in ('shared_buffers', 'huge_pages')",
    );
    const { shared_buffers: buffers, huge_pages: huge } = Object.fromEntries(rows.map((r) => [r.name, r.value]));
    return `\`shared_buffers\` of ${buffers} and \`huge_pages\` ${huge}`;
  });

if (import.meta.main) {
  console.log(blogSection(await blog(), await memoryOf()));
  process.exit(0);
}
