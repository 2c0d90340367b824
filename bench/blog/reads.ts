/** What a server of the blog does per second, with the cache and without, beside one that only sends the same bytes. */
import { child } from '../lib/processes.ts';
import { type Load, load } from '../lib/wrk.ts';
import type { BlogPlan, PlannedPost } from './plan.ts';

export const CONNECTIONS = 32;
/** A reply beyond this is asked for one at a time: some hundred of them at once are no load that anybody has. Bytes. */
const LARGE = 2_000_000;

export interface Servers {
  key: string;
  /** Origins. */
  cached: string;
  uncached: string;
}

export interface ReadResult {
  name: string;
  bytes: number;
  /** Too large for 32 connections at once. */
  isOneByOne: boolean;
  cached: Load;
  uncached: Load;
  bare: Load;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

const medianOf = (rounds: readonly Load[]): Load => ({
  perSecond: median(rounds.map((r) => r.perSecond)),
  p99: median(rounds.map((r) => r.p99)),
  replies: median(rounds.map((r) => r.replies)),
});

/** What is read: the name that it has in the results, its path, and whether the caller has the reply already. */
export function targetsOf(plan: BlogPlan, hot: PlannedPost): { name: string; path: string; conditional?: true }[] {
  const { tags } = plan.material;
  const [first = '', second = ''] = hot.title.split(' ').filter((word) => word.length > 3);
  return [
    { name: 'list of 20', path: '/v1/blog/posts' },
    { name: 'list of a tag', path: `/v1/blog/posts?tag=${tags[9]}` },
    { name: 'list of a category and a tag', path: `/v1/blog/posts?category=guides&tag=${tags[3]}` },
    { name: 'detail', path: `/v1/blog/posts/${hot.slug}` },
    { name: 'search, two words', path: `/v1/blog/posts?q=${first}+${second}` },
    { name: 'taxonomy', path: '/v1/blog/taxonomy' },
    { name: 'list of 20, unchanged (304)', path: '/v1/blog/posts', conditional: true },
    { name: 'comments page', path: `/v1/blog/posts/${hot.slug}/comments` },
    { name: 'index', path: '/v1/blog/index' },
  ];
}

/** One request after the other, at least three. */
async function oneByOne(url: string, headers: Record<string, string>, seconds: number): Promise<Load> {
  const times: number[] = [];
  const started = performance.now();
  while (times.length < 3 || performance.now() - started < seconds * 1000) {
    const asked = performance.now();
    const reply = await fetch(url, { headers });
    await reply.arrayBuffer();
    if (!reply.ok) throw new Error(`${url}: ${reply.status}`);
    times.push(performance.now() - asked);
  }
  return { perSecond: 1000 / median(times), p99: Math.max(...times), replies: times.length };
}

/** Each server in turn, `rounds` times; medians. */
export async function measureRead(
  servers: Servers,
  { name, path, conditional }: ReturnType<typeof targetsOf>[number],
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<ReadResult> {
  const authorization = `Bearer ${servers.key}`;
  const reply = await fetch(servers.cached + path, { headers: { authorization } });
  if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
  const etag = reply.headers.get('etag') ?? '';
  const body = await reply.text();
  const headers = { authorization, ...(conditional ? { 'if-none-match': etag } : {}) };
  const bytes = conditional ? 0 : Buffer.byteLength(body);
  const bare = child('./bare-fastify.ts', [conditional ? '304' : '200']);
  bare.process.stdin?.write(`${JSON.stringify(conditional ? '' : body)}\n`);
  const bareUrl = `http://127.0.0.1:${await bare.line()}/`;
  const lines = Object.entries(headers).map(([field, value]) => `${field}: ${value}`);
  const ask = (url: string, time: number): Promise<Load> =>
    bytes > LARGE
      ? oneByOne(url, headers, time)
      : load(url, { connections: CONNECTIONS, seconds: time, headers: lines });
  for (const origin of [servers.cached, servers.uncached]) {
    const { status } = await fetch(origin + path, { headers });
    if (status !== (conditional ? 304 : 200)) throw new Error(`${path} is ${status} at ${origin}`);
  }
  const results: Record<'cached' | 'uncached' | 'bare', Load[]> = { cached: [], uncached: [], bare: [] };
  const urls = { cached: servers.cached + path, uncached: servers.uncached + path, bare: bareUrl };
  for (const url of Object.values(urls)) await ask(url, 1);
  for (let round = 0; round < rounds; round++) {
    for (const which of ['cached', 'uncached', 'bare'] as const) results[which].push(await ask(urls[which], seconds));
  }
  await bare.stop();
  return {
    name,
    isOneByOne: bytes > LARGE,
    bytes,
    cached: medianOf(results.cached),
    uncached: medianOf(results.uncached),
    bare: medianOf(results.bare),
  };
}
