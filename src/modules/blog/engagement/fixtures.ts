import { sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';

export interface CountersAndRows {
  slug: string;
  counters: { likes: number; views: number; shares: number };
  /** Counted anew. */
  rows: { likes: number; views: number; shares: number };
}

/** For tests: what is kept of each post that has a slug, and what the rows behind say, of the same moment. */
export async function countersAndRows(db: Db): Promise<CountersAndRows[]> {
  const { rows } = await sql<Record<string, number> & { slug: string }>`
    select p.slug, k.like_count as likes, k.view_count as views, k.share_count as shares,
      (select count(*) from post_likes l where l.post_id = p.id)::integer as "likeRows",
      (select coalesce(sum(v.views), 0) from post_views v where v.post_id = p.id)::integer as "viewRows",
      (select coalesce(sum(s.shares), 0) from post_shares s where s.post_id = p.id)::integer as "shareRows"
    from posts p join post_counters k on k.post_id = p.id where p.slug is not null order by p.slug`.execute(db);
  return rows.map(({ slug, likes = 0, views = 0, shares = 0, likeRows = 0, viewRows = 0, shareRows = 0 }) => ({
    slug,
    counters: { likes, views, shares },
    rows: { likes: likeRows, views: viewRows, shares: shareRows },
  }));
}
