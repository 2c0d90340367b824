import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { blogTables } from '../tables.ts';

/** The number that valid links of the post name. */
export async function generationOf(db: Db, postId: string): Promise<number> {
  const row = await blogTables(db)
    .selectFrom('post_previews')
    .select('generation')
    .where('post_id', '=', postId)
    .executeTakeFirst();
  return row?.generation ?? 0;
}

/** From now on links made before are dead. */
export async function raiseGeneration(trx: Trx, postId: string): Promise<void> {
  await sql`
    insert into post_previews (post_id, generation) values (${postId}, 1)
    on conflict (post_id) do update set generation = post_previews.generation + 1`.execute(trx);
}
