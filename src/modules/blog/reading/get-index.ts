import type { Db, Env } from '../../../platform/db/index.ts';
import type { PostIndex } from '../schemas.ts';
import { addressesOfPublic } from './store.ts';

/** Address and dates of every public post, newest first, for sitemaps and feeds. */
export async function getIndex(db: Db, { now }: Pick<Env, 'now'>): Promise<PostIndex> {
  const rows = await addressesOfPublic(db, now);
  const data = rows.map((row) => ({
    slug: row.slug,
    publishedAt: row.publishedAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }));
  return { total: data.length, data };
}
