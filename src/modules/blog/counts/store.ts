import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import type { Pair } from './pairs.ts';

export type CountKind =
  | 'all'
  /** The key is the month of publication in UTC, `YYYY-MM`. */
  | 'month'
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
export const countOf = (kind: CountKind, keys: readonly string[]): RawBuilder<number> => sql<number>`
  (select coalesce(sum(c.count), 0)::integer from post_counts c where c.kind = ${kind} and c.key = any(${keys}::text[]))`;

/** Adds to the counts of pairs, in the order given. */
export async function addPairs(trx: Trx, changes: readonly (Pair & { delta: number })[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    insert into post_pair_counts (first, second, count)
    select * from unnest(${changes.map((c) => c.first)}::text[], ${changes.map((c) => c.second)}::text[],
                         ${changes.map((c) => c.delta)}::integer[])
    on conflict (first, second) do update set count = post_pair_counts.count + excluded.count`.execute(trx);
}

const inPairs = (pairs: readonly Pair[]): RawBuilder<unknown> => sql`
  unnest(${pairs.map((p) => p.first)}::text[], ${pairs.map((p) => p.second)}::text[]) as p (first, second)
  join post_pair_counts c on c.first = p.first and c.second = p.second`;

/** The sum of the counts of these pairs. */
export const countOfPairs = (pairs: readonly Pair[]): RawBuilder<number> => sql<number>`
  (select coalesce(sum(c.count), 0)::integer from ${inPairs(pairs)})`;

/** How many of these pairs some post has. */
export const countUsedPairs = (pairs: readonly Pair[]): RawBuilder<number> => sql<number>`
  (select count(*)::integer from ${inPairs(pairs)} where c.count > 0)`;

/** The one number less the other. */
export const less = (one: RawBuilder<number>, other: RawBuilder<number>): RawBuilder<number> =>
  sql<number>`${one} - ${other}`;

/** These numbers, in one statement. */
export async function readNumbers(db: Db, numbers: readonly RawBuilder<number>[]): Promise<number[]> {
  const columns = numbers.map((number, i) => sql`${number} as ${sql.ref(`n${i}`)}`);
  const { rows } = await sql<Record<string, number>>`select ${sql.join(columns)}`.execute(db);
  return numbers.map((_, i) => rows[0]?.[`n${i}`] ?? 0);
}
