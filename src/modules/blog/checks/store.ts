import { foldCase } from '../../../lib/fold-case.ts';
import type { Db } from '../../../platform/db/index.ts';
import { blogTables } from '../tables.ts';

/** Whether another post that is public, or will be, has this title; upper and lower case are the same. */
export async function isTitleOfAnother(db: Db, title: string, postId: string): Promise<boolean> {
  const row = await blogTables(db)
    .selectFrom('posts')
    .select('id')
    .where('title_key', '=', foldCase(title))
    .where('archived_at', 'is', null)
    .where('published_at', 'is not', null)
    .where('id', '!=', postId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
