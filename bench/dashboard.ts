/**
 * The dashboard on a filled database: how long the calls take that each page makes before its first view stands. `node
 * bench/dashboard.ts` prints the table. BENCH_DELIVERIES: how many, 1000000; BENCH_DASHBOARD_POSTS: how many, 100000; BENCH_ROUNDS of each
 * page, 15; BENCH_KEEP=1 keeps the database of the posts for the next run. Needs a superuser of PostgreSQL.
 */
import { Agent } from 'undici';
import { blogDatabase, dropUnlessKept } from './blog/database.ts';
import { addDeliveries, addMerchants } from './dashboard/data.ts';
import { type BenchPage, benchPages } from './dashboard/pages.ts';
import { admin, freshDatabase, service, withClient } from './lib/processes.ts';

const DELIVERIES = Number(process.env.BENCH_DELIVERIES ?? 1_000_000);
const POSTS = Number(process.env.BENCH_DASHBOARD_POSTS ?? 100_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
const WARM_UP = 3;
/** The first page of each list is to be there within this. Milliseconds. */
const GOAL_MS = 300;
const NAME = 'posthorn_bench_dashboard';

export interface PageTimes {
  page: BenchPage;
  /** Of the page's first call alone. Milliseconds. */
  first: readonly number[];
  /** Until all of its calls were answered, which a browser makes over six connections. Milliseconds. */
  whole: readonly number[];
  slowest: { path: string; ms: number };
}

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
const median = (values: readonly number[]): number => sorted(values)[values.length >> 1] ?? 0;
const most = (values: readonly number[]): number => Math.max(...values);

async function ask(agent: Agent, origin: string, token: string, path: string): Promise<number> {
  const started = performance.now();
  const headers = { authorization: `Bearer ${token}` };
  const reply = await agent.request({ origin, method: 'GET', path, headers });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.statusCode} ${text}`);
  return performance.now() - started;
}

async function measure(agent: Agent, origin: string, page: BenchPage): Promise<PageTimes> {
  const [first, whole]: [number[], number[]] = [[], []];
  let slowest = { path: '', ms: 0 };
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const started = performance.now();
    const times = await Promise.all(page.paths.map((path) => ask(agent, origin, page.token, path)));
    if (round < WARM_UP) continue;
    whole.push(performance.now() - started);
    first.push(times[0] ?? 0);
    for (const [i, ms] of times.entries()) if (ms > slowest.ms) slowest = { path: page.paths[i] ?? '', ms };
  }
  return { page, first, whole, slowest };
}

/** A database with posts and deliveries; what is in it of merchants. */
async function fill(url: string) {
  const started = performance.now();
  const told = (what: string) => console.error(`${((performance.now() - started) / 1000).toFixed(0)} s: ${what}`);
  const s = await service(url, 3996, {}, ['--role', 'api']);
  const filled = await addMerchants(s);
  await s.stop();
  await withClient(url, async (client) => {
    await addDeliveries(client, DELIVERIES, told);
    await client.query('checkpoint');
  });
  return filled;
}

/** The times of every page. */
export async function dashboard(): Promise<PageTimes[]> {
  const posts = await blogDatabase(POSTS);
  const template = new URL(posts.url).pathname.slice(1);
  const url = await freshDatabase(NAME, template);
  try {
    const filled = await fill(url);
    // Without loops: nothing is sent, and nothing runs beside what is measured.
    const s = await service(url, 3996, {}, ['--role', 'api']);
    const agent = new Agent({ connections: 6, pipelining: 1 });
    try {
      const results: PageTimes[] = [];
      for (const page of await benchPages(s, filled))
        results.push(await measure(agent, `http://127.0.0.1:${s.port}`, page));
      return results;
    } finally {
      await agent.close();
      await s.stop();
    }
  } finally {
    await admin(`drop database if exists ${NAME} with (force)`);
    await dropUnlessKept(posts);
  }
}

const count = (n: number): string => n.toLocaleString('en-US');
const row = ({ page, first, whole, slowest }: PageTimes): string =>
  `| ${page.name} | ${page.paths.length} | ${median(first).toFixed(0)} | ${most(first).toFixed(0)} | ${median(whole).toFixed(0)} | ${most(whole).toFixed(0)} | ${page.isList ? (most(first) <= GOAL_MS ? 'yes' : 'NO') : ''} | \`${slowest.path.replace(/\?.*/, '')}\` |`;

/** The section of RESULTS.md. */
export const dashboardSection = (results: readonly PageTimes[]): string => `## The dashboard

\`node bench/dashboard.ts\` with ${count(DELIVERIES)} deliveries, half of them of one merchant, and ${count(POSTS)} posts. The calls that a page makes before its
first view stands, over six connections as a browser makes them, ${ROUNDS} times. Milliseconds: of the first call alone, which is a
list's own, and until all were answered.

| page | calls | first, median | first, most | all, median | all, most | list ≤ ${GOAL_MS} ms | slowest call |
|---|---|---|---|---|---|---|---|
${results.map(row).join('\n')}
`;

if (import.meta.main) {
  console.log(dashboardSection(await dashboard()));
  process.exit(0);
}
