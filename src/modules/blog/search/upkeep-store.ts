import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';

/** Posts that upkeep was asked to look at. */
export async function postsToKeepUp(db: Db, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select post_id as id from post_upkeep limit ${most}`.execute(db);
  return rows.map((row) => row.id);
}

/** Asks for posts whose rendering or search document is missing or of an older version; how many were found. */
export async function askForOutdated(
  db: Db,
  { htmlVersion, indexVersion, most }: { htmlVersion: number; indexVersion: number; most: number },
): Promise<number> {
  const { rows } = await sql`
    with outdated as (
      (select post_id from post_bodies where html_version < ${htmlVersion} limit ${most})
      union (select post_id from post_search where version < ${indexVersion} limit ${most})
    )
    insert into post_upkeep (post_id) select post_id from outdated on conflict do nothing returning 1`.execute(db);
  return rows.length;
}

/** Of these posts, those that nobody is changing at this moment, locked until the transaction ends. */
export async function lockFreePosts(trx: Trx, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from posts where id = any(${[...ids]}::uuid[]) order by id for update skip locked`.execute(trx);
  return rows.map((row) => row.id);
}

export async function indexVersionOf(db: Db, postId: string): Promise<number | null> {
  const { rows } = await sql<{ version: number }>`
    select version from post_search where post_id = ${postId}`.execute(db);
  return rows[0]?.version ?? null;
}

export async function doneWith(trx: Trx, ids: readonly string[]): Promise<void> {
  await sql`delete from post_upkeep where post_id = any(${[...ids]}::uuid[])`.execute(trx);
}

/** Those of the words that were added before. No word is ever taken away. */
export async function knownOf(trx: Trx, words: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ word: string }>`
    select word from post_words where word = any(${[...words]}::text[])`.execute(trx);
  return new Set(rows.map(({ word }) => word));
}

/**
 * Adds words that are new, in one order for all, and says how many were; `used` counts the posts of this call that have
 * each in their head. What `near` says of a word that is known counts for nothing.
 */
export async function addWords(
  trx: Trx,
  words: readonly { word: string; used: number; near: readonly string[] }[],
): Promise<number> {
  if (words.length === 0) return 0;
  const sorted = words.toSorted((a, b) => (a.word < b.word ? -1 : 1));
  const { rows } = await sql<{ count: number }>`
    with added as (
      insert into post_words (word, used, near)
      select w.word, w.used, string_to_array(w.near, ' ')
      from unnest(${sorted.map((w) => w.word)}::text[], ${sorted.map((w) => w.used)}::integer[],
                  ${sorted.map((w) => w.near.join(' '))}::text[]) as w (word, used, near)
      on conflict (word) do update set used = post_words.used + excluded.used where excluded.used > 0
      returning xmax
    )
    select count(*) filter (where xmax = 0)::integer as count from added`.execute(trx);
  return rows[0]?.count ?? 0;
}
