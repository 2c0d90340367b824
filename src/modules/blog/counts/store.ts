import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { blogTables } from '../tables.ts';

export type CountKind =
  | 'all'
  | 'author'
  | 'featured'
  | 'category'
  | 'tag'
  /** By spelling; the name is the key of the category or tag. */
  | 'category_as'
  | 'tag_as'
  | 'draft'
  | 'archived';

export interface CountChange {
  kind: CountKind;
  key: string;
  /** The spelling of the first post. */
  name: string;
  delta: number;
}

/** Adds to the counts, in the order given. A name that has no post any more takes the spelling of the next one. */
export async function addCounts(trx: Trx, changes: readonly CountChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    insert into post_counts (kind, key, name, count)
    select * from unnest(${changes.map((c) => c.kind)}::text[], ${changes.map((c) => c.key)}::text[],
                         ${changes.map((c) => c.name)}::text[], ${changes.map((c) => c.delta)}::integer[])
    on conflict (kind, key) do update set
      count = post_counts.count + excluded.count,
      name = case when post_counts.count = 0 then excluded.name else post_counts.name end`.execute(trx);
}

/** Posts published or scheduled (drafts, archived posts) under any of these keys of a kind. */
export async function readCount(db: Db, kind: CountKind, keys: readonly string[]): Promise<number> {
  const row = await blogTables(db)
    .selectFrom('post_counts')
    .select(sql<number>`coalesce(sum(count), 0)::integer`.as('count'))
    .where('kind', '=', kind)
    .where('key', '=', sql<string>`any(${keys}::text[])`)
    .executeTakeFirstOrThrow();
  return row.count;
}
