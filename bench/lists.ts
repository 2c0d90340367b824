/**
 * Lists and searches by the function behind `GET /v1/blog/posts`, in this process and without HTTP: what the database and our code take by themselves.
 * `node bench/lists.ts`, with BENCH_POSTS (default `1000,1000000`), BENCH_QUERIES of a kind (default 500), BENCH_KINDS (only those whose name has this in it),
 * BENCH_KEEP=1 and the needs of bench/blog.ts. BENCH_AGAINST: the folder of another version, which is asked in turn, on the same database.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { listPosts } from '../src/modules/blog/reading/list-posts.ts';
import type { openPostgres } from '../src/platform/db/index.ts';
import { type BlogDatabase, blogDatabase, dropUnlessKept } from './blog/database.ts';
import { queriesOf, queryOf } from './blog/queries.ts';

const SIZES = (process.env.BENCH_POSTS ?? '1000,1000000').split(',').map(Number);
const QUERIES = Number(process.env.BENCH_QUERIES ?? 500);
const KINDS = process.env.BENCH_KINDS ?? '';
/** Of a kind, each version answers so many before those that count, but no more than a quarter of all. */
const WARM_UP = 50;
const AGAINST = process.env.BENCH_AGAINST;
const HERE = new URL('..', import.meta.url).href;

type List = (path: string) => Promise<unknown>;

export interface ListsRow {
  posts: number;
  name: string;
  /** Milliseconds, of each version. */
  versions: { p50: number; p99: number }[];
}

/** A version's list, on connections of its own. */
async function versionOf(root: string, url: string): Promise<{ list: List; close: () => Promise<void> }> {
  const load = async <T>(path: string) => (await import(new URL(path, root).href)) as T;
  const reading = await load<{ listPosts: typeof listPosts }>('src/modules/blog/reading/list-posts.ts');
  const platform = await load<{ openPostgres: typeof openPostgres }>('src/platform/db/index.ts');
  const database = await platform.openPostgres(url, 4);
  const list: List = (path) => {
    const env = { now: new Date(), newId: () => '', requestId: 'bench' };
    return reading.listPosts(database.db, queryOf(path), env);
  };
  return { list, close: () => database.close() };
}

const rank = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] as number;

/** Each path is asked by one of the versions; what it reads is in memory already, since it was tried before. */
async function measure(lists: readonly List[], paths: readonly string[]): Promise<ListsRow['versions']> {
  const times = lists.map((): number[] => []);
  const uncounted = Math.min(WARM_UP * lists.length, Math.floor(paths.length / 4));
  for (const [i, path] of paths.entries()) {
    const version = i % lists.length;
    const startedAt = performance.now();
    await (lists[version] as List)(path);
    if (i >= uncounted) times[version]?.push(performance.now() - startedAt);
  }
  return times.map((of) => ({ p50: rank(of, 0.5), p99: rank(of, 0.99) }));
}

async function measureBlog(blog: BlogDatabase, roots: readonly string[]): Promise<ListsRow[]> {
  const versions = await Promise.all(roots.map((root) => versionOf(root, blog.url)));
  const lists = versions.map(({ list }) => list);
  const rows: ListsRow[] = [];
  try {
    for (const [name, paths] of await queriesOf(blog, (QUERIES + WARM_UP) * roots.length, KINDS))
      rows.push({ posts: blog.posts, name, versions: await measure(lists, paths) });
  } finally {
    await Promise.all(versions.map(({ close }) => close()));
  }
  return rows;
}

/** This version, and the other one where there is one. */
export async function lists(): Promise<ListsRow[]> {
  const roots = [HERE, ...(AGAINST === undefined ? [] : [`${pathToFileURL(resolve(AGAINST)).href}/`])];
  const rows: ListsRow[] = [];
  for (const posts of SIZES) {
    const blog = await blogDatabase(posts);
    rows.push(...(await measureBlog(blog, roots)));
    await dropUnlessKept(blog);
  }
  return rows;
}

const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 1);

/** As RESULTS.md has it. */
export function listsSection(rows: readonly ListsRow[]): string {
  const names = AGAINST === undefined ? [''] : ['', 'other version '];
  const cells = ['What', 'posts', ...names.flatMap((name) => [`${name}p50 ms`, `${name}p99 ms`])];
  const line = ({ name, posts, versions }: ListsRow): string =>
    [name, posts.toLocaleString('en-US'), ...versions.flatMap(({ p50, p99 }) => [ms(p50), ms(p99)])].join(' | ');
  return `### Lists and searches by themselves

\`node bench/lists.ts\`: the function behind \`GET /v1/blog/posts\`, in one process, without HTTP and without the cache, one after the other; ${QUERIES} different ones of a kind, or as many as there are${AGAINST === undefined ? '' : ', each asked by one of two versions in turn (`BENCH_AGAINST`)'}. Every page asked for is full,
but that of a word that is nowhere, so that sizes are compared by the same work, and was asked for once before.

| ${cells.join(' | ')} |
|${'---|'.repeat(cells.length)}
${rows.map((row) => `| ${line(row)} |`).join('\n')}
`;
}

if (import.meta.main) {
  console.log(listsSection(await lists()));
  process.exit(0);
}
