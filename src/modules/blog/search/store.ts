import { type RawBuilder, sql } from 'kysely';
import { tokens, type Db, type Trx } from '../../../platform/db/index.ts';
import { blogTables } from '../tables.ts';

/** Stores the search document of a post anew, and asks upkeep for its words. */
export async function saveDocument(
  trx: Trx,
  row: { postId: string; at: Date; version: number; head: string; document: string },
): Promise<void> {
  const { postId, ...rest } = row;
  const values = {
    ...rest,
    head: sql<string>`${row.head}::tsvector`,
    document: sql<string>`${row.document}::tsvector`,
  };
  await blogTables(trx)
    .insertInto('post_search')
    .values({ post_id: postId, ...values })
    .onConflict((oc) => oc.column('post_id').doUpdateSet(values))
    .execute();
  await sql`insert into post_upkeep (post_id) values (${postId}) on conflict do nothing`.execute(trx);
}

/** How matches are put in order: texts of tsquery. */
export interface Ranking {
  /** Any of the words. */
  words: string;
  /** The words one after the other; null for a single one. */
  phrase: string | null;
}

/** Weights of body, excerpt, tags and title: a word in the title counts as much as in all of the others. */
const HEAD_WEIGHTS = sql.lit('{0,0.2,0.4,1}');
const BODY_WEIGHTS = sql.lit('{0.1,0,0,0}');
/** Only so many are weighed by their body too, which is read from afar. */
const WEIGHED_BY_BODY = 50;

const follows = (vector: RawBuilder<unknown>, phrase: string | null, weight: number): RawBuilder<unknown> =>
  phrase === null ? sql`0` : sql`case when ${vector} @@ ${phrase}::tsquery then ${sql.lit(weight)} else 0 end`;

/**
 * Ids of the newest `most` matches, best first. A match in title, tags or excerpt ranks before one in the body only,
 * and of equals the newer first.
 */
export async function rankedMatches(
  db: Db,
  query: string,
  ranking: Ranking,
  { now, most }: { now: Date; most: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with found as materialized (
      select s.post_id, s.at, s.head from post_search s
      where s.document @@ ${query}::tsquery and s.at <= ${now}
      order by s.at desc, s.post_id desc limit ${most}
    ),
    weighed as materialized (
      select f.post_id, f.at, ts_rank(${HEAD_WEIGHTS}, f.head, ${ranking.words}::tsquery)
        + ${follows(sql`f.head`, ranking.phrase, 0.5)} as weight
      from found f
    ),
    best as materialized (
      select post_id, row_number() over (order by weight desc, at desc, post_id desc) as place, weight, at from weighed
    )
    select b.post_id as id
    from best b
    order by b.weight + case when b.place <= ${sql.lit(WEIGHED_BY_BODY)} then (
        select ts_rank(${BODY_WEIGHTS}, s.document, ${ranking.words}::tsquery)
          + ${follows(sql`s.document`, ranking.phrase, 0.05)}
        from post_search s where s.post_id = b.post_id
      ) else 0 end desc, b.at desc, b.post_id desc`.execute(db);
  return rows.map((row) => row.id);
}

/** The matches among these posts; for the few whose time is yet to come. */
export async function matchesAmong(db: Db, query: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select s.post_id as id from post_search s
    where s.post_id = any(${tokens(ids)}::text::uuid[]) and s.document @@ ${query}::tsquery`.execute(db);
  return rows.map((row) => row.id);
}

/** Posts that are scheduled for later, the next ones first. */
export async function scheduledIds(db: Db, now: Date, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id from posts p where p.archived_at is null and p.published_at > ${now}
    order by p.published_at, p.id limit ${most}`.execute(db);
  return rows.map((row) => row.id);
}

/** Posts that have, or had, a slug that begins so. */
export async function postsWithSlugFrom(db: Db, start: string, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select post_id as id from post_slugs where slug >= ${start} and slug < ${`${start}~`} limit ${most}`.execute(db);
  return rows.map((row) => row.id);
}

/** When the post was published that has so many newer ones before it, for each of the numbers; null where there is none. */
export async function timesOfNth(db: Db, numbers: readonly number[], now: Date): Promise<(Date | null)[]> {
  const nth = (n: number) => sql`
    (select p.published_at from posts p where p.archived_at is null and p.published_at <= ${now}
     order by p.published_at desc, p.id desc offset ${n} limit 1)`;
  const { rows } = await sql<{ at: Date | null }>`${sql.join(
    numbers.map((n) => sql`select ${nth(n)} as at`),
    sql` union all `,
  )}`.execute(db);
  return rows.map((row) => row.at);
}

/** Words that begin so, those of most titles first. */
export async function wordsBeginning(db: Db, start: string, most: number): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`
    select word from post_words where word > ${start} and word < ${`${start}\u{10ffff}`}
    order by used desc, length(word), word limit ${most}`.execute(db);
  return rows.map((row) => row.word);
}

/** The statement that finds the words that have one of these forms with letters left out; each form is looked up in the index. */
export const nearWords = (forms: readonly string[], most: number): RawBuilder<unknown> => sql`
  select distinct w.word, w.used
  from unnest(${[...forms]}::text[]) as f (form)
  cross join lateral (select n.word, n.used from post_words n where n.near @> array[f.form] collate "C" offset 0) w
  order by w.used desc, w.word limit ${most}`;

/** Words that have one of these forms with letters left out. */
export async function wordsNear(
  db: Db,
  forms: readonly string[],
  most: number,
): Promise<{ word: string; used: number }[]> {
  const { rows } = await sql<{ word: string; used: number }>`${nearWords(forms, most)}`.execute(db);
  return rows;
}

/** Which of these words any post was indexed with. */
export async function knownWords(db: Db, words: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ word: string }>`
    select word from post_words where word = any(${[...words]}::text[])`.execute(db);
  return new Set(rows.map((row) => row.word));
}
