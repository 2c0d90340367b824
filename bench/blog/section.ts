/** The results of bench/blog.ts as a part of RESULTS.md. */
import type { BlogResult } from '../blog.ts';
import type { ReadResult } from './reads.ts';

const n = (value: number): string => (Number.isFinite(value) ? Math.round(value).toLocaleString('en-US') : '–');
const ms = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : '–');
const share = (value: number): string => (Number.isFinite(value) ? value.toFixed(2) : '–');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Rows of all sizes, those of one name together. */
function together<T extends { name: string }>(results: readonly BlogResult[], rowsOf: (r: BlogResult) => readonly T[]) {
  const found: { posts: number; row: T }[] = [];
  for (const { name } of results.flatMap((r) => rowsOf(r).slice())) {
    if (found.some(({ row }) => row.name === name)) continue;
    for (const result of results) {
      const row = rowsOf(result).find((r) => r.name === name);
      if (row) found.push({ posts: result.posts, row });
    }
  }
  return found;
}

const readsTable = (results: readonly BlogResult[]): string =>
  table(
    'Read|posts|bytes|bare/s|cached/s|of bare|p99 ms|cache off/s|of bare|p99 ms'.split('|'),
    together(results, (r) => r.reads).map(({ posts, row }) => [
      row.isOneByOne ? `${row.name}, one at a time` : row.name,
      n(posts),
      n(row.bytes),
      n(row.bare.perSecond),
      n(row.cached.perSecond),
      share(row.cached.perSecond / row.bare.perSecond),
      ms(row.cached.p99),
      n(row.uncached.perSecond),
      share(row.uncached.perSecond / row.bare.perSecond),
      ms(row.uncached.p99),
    ]),
  );

const fixedTable = (results: readonly BlogResult[]): string =>
  table(
    'Read|posts|different|p50 ms|p99 ms|max ms'.split('|'),
    together(results, (r) => r.fixed).map(({ posts, row }) => [
      row.name,
      n(posts),
      n(row.different),
      ms(row.p50),
      ms(row.p99),
      ms(row.max),
    ]),
  );

const writesTable = (results: readonly BlogResult[]): string =>
  table(
    'Write|posts|acknowledged/s|p99 ms'.split('|'),
    together(results, (r) => r.writes).map(({ posts, row }) => [row.name, n(posts), n(row.perSecond), ms(row.p99)]),
  );

/** Ghost 6.65 (Node 24, SQLite, 1,000 posts, 32 connections) on a machine of this kind: per second, and with its cache. */
const GHOST: readonly [what: string, alone: string, cached: string, ours: string][] = [
  ['list of 20', '75', '1,200', 'list of 20'],
  ['post by slug', '745', '1,900', 'detail'],
  ['list of a tag', '117', '1,330', 'list of a tag'],
  ['tags with counts', '78', '–', 'taxonomy'],
  ['conditional request', '78', '–', 'list of 20, unchanged (304)'],
  ['comments page', '78', '–', 'comments page'],
];

function ghostTable(result: BlogResult): string {
  const rows = GHOST.map(([what, alone, cached, ours]) => {
    const row = result.reads.find((r) => r.name === ours);
    return [what, alone, n(row?.uncached.perSecond ?? Number.NaN), cached, n(row?.cached.perSecond ?? Number.NaN)];
  });
  rows.push(['publish', '26', n(result.writes.find((w) => w.name === 'publish')?.perSecond ?? Number.NaN), '–', '–']);
  return table('|Ghost/s|ours, cache off/s|Ghost, cached/s|ours, cached/s'.split('|'), rows);
}

type Goal = [goal: string, figure: string, met: boolean];

/** The goals of the largest size. */
function goalsOf(results: readonly BlogResult[]): Goal[] {
  const [smallest, largest] = [results[0] as BlogResult, results.at(-1) as BlogResult];
  const read = (result: BlogResult, name: string) => result.reads.find((r) => r.name === name) as ReadResult;
  const goals: Goal[] = ['list of 20', 'detail'].map((name) => {
    const { cached, bare } = read(largest, name);
    const ofBare = cached.perSecond / bare.perSecond;
    return [`cached ${name} ≥ 0.7 of bare Fastify`, share(ofBare), ofBare >= 0.7];
  });
  for (const [start, most] of [
    ['list', 10],
    ['search', 25],
  ] as const) {
    for (const { name, p99 } of largest.fixed.filter((row) => row.name.startsWith(start))) {
      goals.push([`${name}: p99 ≤ ${most} ms, cache off, at 50 requests/s`, ms(p99), p99 <= most]);
    }
  }
  for (const { name, perSecond } of largest.writes.filter((w) => w.name !== 'publish')) {
    goals.push([`${name} ≥ 5,000/s`, n(perSecond), perSecond >= 5000]);
  }
  if (smallest !== largest) {
    for (const { name } of largest.reads.filter((r) => smallest.reads.some((s) => s.name === r.name))) {
      const [few, many] = [read(smallest, name), read(largest, name)];
      // An index of a thousand times the posts is a reply of a thousand times the bytes.
      if (many.bytes > 2 * few.bytes) continue;
      const dearer = few.cached.perSecond / few.bare.perSecond / (many.cached.perSecond / many.bare.perSecond);
      goals.push([
        `cached ${name} costs ≤ 1.5 × what it costs with ${n(smallest.posts)}`,
        share(dearer),
        dearer <= 1.5,
      ]);
    }
  }
  return goals;
}

/** Markdown; results smallest first. */
export function blogSection(results: readonly BlogResult[], memory: string): string {
  const smallest = results[0] as BlogResult;
  const largest = results.at(-1) as BlogResult;
  return `## The blog

\`node bench/blog.ts\` (BENCH_POSTS: sizes). Posts with bodies of 4 kB, cut out of real ones, over 15 years, with 500 tags as
unevenly spread as words are, and comments, likes and views on the newest 10,000; test/bench-blog-data.test.ts holds the
database equal to one that the service filled itself.

Full load: wrk with 32 connections on one address; bare is a Fastify that sends the same bytes. Cache off is
BLOG_CACHE_MB=0: every request asks the database. An index of more than 2 MB is asked for one at a time, and its p99 is the
slowest.

${readsTable(results)}

At 50 requests per second that leave on time (bench/lib/open-loop.ts), cache off, each for something else, after 100 others of the
kind, by a PostgreSQL with ${memory}; of the rounds (BENCH_ROUNDS) the one whose p99 is the median:

${fixedTable(results)}

Writes, with fsync on. A like or view is of one post, by as many sessions or visits as there are requests, on 128
connections; afterwards the database must hold each that was answered. To publish is to create a post and publish it, two
requests, on 32 connections.

${writesTable(results)}

### Goals, with ${n(largest.posts)} posts

${table(
  ['Goal', 'figure', 'met'],
  goalsOf(results).map(([goal, figure, met]) => [goal, figure, met ? 'yes' : '**no**']),
)}

### Beside Ghost

Ghost 6.65 on a machine of this kind (Node 24, SQLite, 1,000 posts, 32 connections), ours with ${n(smallest.posts)} posts on
PostgreSQL and the same load. Ghost publishes with one request.

${ghostTable(smallest)}
`;
}
