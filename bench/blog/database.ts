import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { RENDERER_VERSION } from '../../src/modules/blog/rendering/render-with.ts';
import { INDEX_VERSION } from '../../src/modules/blog/search/document.ts';
import { loadMigrations, migrate, openPostgres } from '../../src/platform/db/index.ts';
import { fillBlog } from './data.ts';
import { materialOf, realBodies } from './material.ts';
import { BlogPlan } from './plan.ts';
import { adminUrl, freshDatabase } from '../lib/processes.ts';

/** Bodies that are made at most; a million posts share them. */
const BODIES = 2000;
const ENGAGED = 10_000;
const HOT_COMMENTS = 5000;
const HOUR_MS = 3_600_000;

export interface BlogDatabase {
  url: string;
  posts: number;
  plan: BlogPlan;
}

/** Where the plan's rows come from: another text is another blog. */
const SOURCES = ['data', 'engagement', 'material', 'plan', 'row', 'words'];

async function markerOf(posts: number): Promise<string> {
  const digest = createHash('sha256').update(`${posts} ${BODIES} ${ENGAGED} ${HOT_COMMENTS}`);
  // A post that was rendered or indexed by an older version is so again while it is measured.
  digest.update(` ${RENDERER_VERSION} ${INDEX_VERSION}`);
  for (const { checksum } of await loadMigrations()) digest.update(checksum);
  for (const name of SOURCES) digest.update(await readFile(new URL(`${name}.ts`, import.meta.url)));
  return digest.digest('hex');
}

const nameOf = (posts: number): string => `posthorn_bench_blog_${posts}`;

async function ask<T extends object>(statement: string, values: unknown[] = []): Promise<T[]> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    return (await client.query<T>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** The comment on the database: what it was made of, and the time of its plan. */
async function keptSince(posts: number): Promise<number | null> {
  const [row] = await ask<{ marker: string | null }>(
    "select shobj_description(oid, 'pg_database') as marker from pg_database where datname = $1",
    [nameOf(posts)],
  );
  const [marker, now] = (row?.marker ?? '').split(' ');
  return marker === (await markerOf(posts)) ? Number(now) : null;
}

async function build(posts: number, plan: BlogPlan): Promise<void> {
  const started = performance.now();
  const told = (what: string) =>
    console.error(`${posts} posts, ${((performance.now() - started) / 1000).toFixed(1)} s: ${what}`);
  // Two connections write; a statement on a million rows takes minutes.
  const database = await openPostgres(await freshDatabase(nameOf(posts)), 4, { queryTimeoutMs: HOUR_MS });
  try {
    await migrate(database.db, await loadMigrations());
    await fillBlog(database.db, plan, told);
  } finally {
    await database.close();
  }
  // What was written is on the disk before anything is measured.
  await ask('checkpoint');
  await ask(`comment on database ${nameOf(posts)} is '${await markerOf(posts)} ${plan.now}'`);
  told('done');
}

let texts: Promise<string[]> | undefined;

/** A database with a blog of so many posts: one that was kept, if it is the same as a new one would be. */
export async function blogDatabase(posts: number): Promise<BlogDatabase> {
  const material = materialOf(await (texts ??= realBodies()), Math.min(posts, BODIES));
  const since = await keptSince(posts);
  const sizes = { posts, engaged: Math.min(posts, ENGAGED), hotComments: HOT_COMMENTS };
  const plan = new BlogPlan(material, sizes, since ?? Date.now());
  if (since === null) await build(posts, plan);
  const url = new URL(adminUrl);
  url.pathname = `/${nameOf(posts)}`;
  return { url: url.href, posts, plan };
}

/** BENCH_KEEP=1 keeps the database for the next run. */
export async function dropUnlessKept({ posts }: BlogDatabase): Promise<void> {
  if (process.env.BENCH_KEEP !== '1') await ask(`drop database if exists ${nameOf(posts)} with (force)`);
}
