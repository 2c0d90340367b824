import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';

/** Posts that upkeep was asked to look at, and whether words of deleted ones are counted. */
export async function workOf(db: Db, most: number): Promise<{ ids: string[]; isRemoved: boolean }> {
  const { rows } = await sql<{ id: string | null }>`
    (select post_id as id from post_upkeep limit ${most})
    union all (select null from post_head_words where post_id is null limit 1)`.execute(db);
  return { ids: rows.flatMap(({ id }) => id ?? []), isRemoved: rows.some(({ id }) => id === null) };
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

/** Asks for the next posts of a recount that a migration has asked for, in the order of their ids; how many were found. */
export async function askForUncounted(db: Db, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with found as materialized (
      select id from posts where id > (select after from post_words_recount) order by id limit ${most}
    ),
    asked as (insert into post_upkeep (post_id) select id from found on conflict do nothing),
    moved as (
      update post_words_recount set after = f.id from (select id from found order by id desc limit 1) as f
    ),
    ended as (delete from post_words_recount where not exists (select from found))
    select count(*)::integer as count from found`.execute(db);
  return rows[0]?.count ?? 0;
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

const listOf = (words: string): string[] => (words === '' ? [] : words.split(' '));

/** The words of these posts, which must be locked, that are counted. */
export async function countedOf(trx: Trx, ids: readonly string[]): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ id: string; words: string }>`
    select post_id as id, words from post_head_words where post_id = any(${[...ids]}::uuid[])`.execute(trx);
  return new Map(rows.map(({ id, words }) => [id, listOf(words)]));
}

/** Remembers which words of these posts, which must be locked, are counted. */
export async function keepCounted(trx: Trx, counted: ReadonlyMap<string, readonly string[]>): Promise<void> {
  await sql`
    insert into post_head_words (post_id, words)
    select * from unnest(${[...counted.keys()]}::uuid[], ${[...counted.values()].map((words) => words.join(' '))}::text[])
    on conflict (post_id) do update set words = excluded.words where post_head_words.words <> excluded.words`.execute(
    trx,
  );
}

/** The counted words of posts that were deleted, at most of so many, which are forgotten with it. Two nodes never take the same. */
export async function takeRemoved(trx: Trx, most: number): Promise<string[][]> {
  const { rows } = await sql<{ words: string }>`
    delete from post_head_words where ctid = any(array(
      select ctid from post_head_words where post_id is null limit ${most} for update skip locked))
    returning words`.execute(trx);
  return rows.map(({ words }) => listOf(words));
}

/** Those of the words that were added before. No word is ever taken away. */
export async function knownOf(trx: Trx, words: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ word: string }>`
    select word from post_words where word = any(${[...words]}::text[])`.execute(trx);
  return new Set(rows.map(({ word }) => word));
}

/**
 * Adds words that are new, in one order for all, and says how many were; `used` is by how many posts more each is in the head of
 * one, or less. What `near` says of a word that is known counts for nothing.
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
      on conflict (word) do update set used = greatest(0, post_words.used + excluded.used) where excluded.used <> 0
      returning xmax
    )
    select count(*) filter (where xmax = 0)::integer as count from added`.execute(trx);
  return rows[0]?.count ?? 0;
}
