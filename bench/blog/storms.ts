/** Writes: likes and views of one post by many, and publishing. What was answered is looked for in the database. */
import { request } from 'undici';
import { type BenchService, withClient } from '../lib/processes.ts';
import { type Load, load } from '../lib/wrk.ts';
import { CONNECTIONS } from './reads.ts';

export const STORM_CONNECTIONS = 128;
/** Sessions that like, each once per round: more than there are likes in one. */
const LIKERS = 100_000;

/** Sessions whose tokens engage.lua knows: `phs_` and a number of 43 digits. */
export const addLikers = (databaseUrl: string): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    await client.query(
      `with added as (
         insert into users (id, email, name, created_at, updated_at)
         select gen_random_uuid(), 'liker' || n || '@bench.example', 'Liker ' || n, now(), now()
         from generate_series(1, $1::integer) as n on conflict do nothing returning id, email)
       insert into sessions (id, user_id, token_hash, created_at, expires_at)
       select gen_random_uuid(), id,
         encode(sha256(convert_to('phs_' || lpad(substring(email from '[0-9]+'), 43, '0'), 'UTF8')), 'hex'),
         now(), now() + interval '10 years' from added`,
      [LIKERS],
    );
    await client.query('analyze users, sessions');
  });

export interface StormTarget {
  service: Pick<BenchService, 'port'>;
  databaseUrl: string;
  key: string;
}

interface Counted {
  id: string;
  slug: string;
  likes: number;
  views: number;
}

const COUNTED = `select p.id, p.slug, k.like_count as likes, k.view_count::integer as views
  from posts p join post_counters k on k.post_id = p.id`;

/** Rows behind the counter. */
const ROWS = {
  like: 'select count(*)::integer as n from post_likes where post_id = $1',
  view: 'select coalesce(sum(views), 0)::integer as n from post_views where post_id = $1',
} as const;

/**
 * Likes or views of one post that nobody has liked yet. Throws unless the counter and the rows behind it both hold every
 * one that was answered (and at most those besides that were under way at the end).
 */
export const storm = (
  { service, databaseUrl, key }: StormTarget,
  kind: 'like' | 'view',
  seconds: number,
): Promise<Load> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<Counted>(
      `${COUNTED} where k.like_count = 0 and k.listed_from <= now() order by p.id limit 1`,
    );
    const before = rows[0] as Counted;
    const path = `/v1/blog/posts/${before.slug}/${kind}`;
    const args = [kind, path, key];
    const url = `http://127.0.0.1:${service.port}${path}`;
    const result = await load(url, { connections: STORM_CONNECTIONS, seconds, script: 'engage.lua', args });
    if (kind === 'like' && result.replies > LIKERS) throw new Error('there were more likes than sessions');
    await new Promise((done) => setTimeout(done, 500));
    const after = (await client.query<Counted>(`${COUNTED} where p.id = $1`, [before.id])).rows[0] as Counted;
    const { n: stored } = (await client.query<{ n: number }>(ROWS[kind], [before.id])).rows[0] as { n: number };
    const counter = kind === 'like' ? after.likes : after.views;
    const counted = counter - (kind === 'like' ? before.likes : before.views);
    if (stored !== counter) throw new Error(`${counter} ${kind}s are counted, ${stored} stored`);
    if (counted < result.replies || counted > result.replies + STORM_CONNECTIONS) {
      throw new Error(`${result.replies} ${kind}s were answered, ${counted} counted`);
    }
    return result;
  });

/** Creates a post and publishes it, over and over, on each of 32 connections; then deletes them all. Posts per second. */
export async function publishing(
  { port }: Pick<BenchService, 'port'>,
  token: string,
  body: string,
  seconds: number,
): Promise<number> {
  const call = async (method: 'POST' | 'DELETE', path: string, json?: object): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, ...(json ? { 'content-type': 'application/json' } : {}) };
    const reply = await request(`http://127.0.0.1:${port}/v1/blog/manage/posts${path}`, {
      method,
      headers,
      body: json ? JSON.stringify(json) : null,
    });
    const text = await reply.body.text();
    if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.statusCode} ${text}`);
    return text;
  };
  const published: string[] = [];
  const started = performance.now();
  const publish = async (n: number): Promise<void> => {
    for (let i = 0; performance.now() - started < seconds * 1000; i++) {
      const title = `Published by connection ${n} as number ${i}`;
      const { id } = JSON.parse(await call('POST', '', { title, body, category: 'News' })) as { id: string };
      await call('POST', `/${id}/publish`);
      published.push(id);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => publish(n)));
  const perSecond = (published.length * 1000) / (performance.now() - started);
  for (const id of published) await call('DELETE', `/${id}`);
  return perSecond;
}
