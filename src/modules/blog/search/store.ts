import { type RawBuilder, sql } from 'kysely';
import { tokens, type Db, rowsWith, type Trx } from '../../../platform/db/index.ts';
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

/** What matches must have: texts of tsquery. */
export interface Condition {
  /**
   * What the index answers without a look at the documents, all of it: of phrases, only that all of their words are there.
   * Each is a key of the index's scan by itself, so that it goes from one to the next post that all may have; as one
   * tsquery it went through all entries of all of them, which took up to ten times as long (measured).
   */
  index: readonly string[];
  /** The phrases with the order of their words, for which each document must be read; null where there are none. */
  order: string | null;
  /** Most have them in that order in title, tags or excerpt already, and need not be read. */
  orderInHead?: boolean;
}

/** How matches are put in order: texts of tsquery. */
export interface Ranking {
  /** Any of the words. */
  words: string;
  /** The words one after the other; null for a single one. */
  phrase: string | null;
}

export interface Match {
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  weight: number;
}

/** Weights of body, excerpt, tags and title: a word in the title counts as much as in all of the others. */
const HEAD_WEIGHTS = sql.lit('{0,0.2,0.4,1}');
const BODY_WEIGHTS = sql.lit('{0.1,0,0,0}');
const follows = (vector: RawBuilder<unknown>, phrase: string | null, weight: number): RawBuilder<unknown> =>
  phrase === null ? sql`0` : sql`case when ${vector} @@ ${phrase}::tsquery then ${sql.lit(weight)} else 0 end`;

/**
 * From `candidates`, those whose words stand in the order asked for, one document after the other; without an order, all,
 * if they are enough.
 */
function inOrder({ order, orderInHead }: Condition, atLeast: number): RawBuilder<unknown> {
  if (order === null) return sql`(select count(*) from candidates) >= ${atLeast}::integer`;
  const inDocument = sql`(select s.document @@ ${order}::tsquery from post_search s where s.post_id = c.post_id)`;
  return orderInHead ? sql`case when h.head @@ ${order}::tsquery then true else ${inDocument} end` : inDocument;
}

/** Of `post_search s`, what the index answers. */
export const hasAll = ({ index }: Pick<Condition, 'index'>): RawBuilder<unknown> =>
  index.length === 0
    ? sql`false`
    : sql.join(
        index.map((part) => sql`s.document @@ ${part}::tsquery`),
        sql` and `,
      );

/** From `weighed`, of which the best are weighed by their body too. */
const weighedByBody = (ranking: Ranking, byBody: number): RawBuilder<unknown> => sql`
    best as materialized (
      select post_id, row_number() over (order by weight desc, at desc, post_id desc) as place, weight, at from weighed
    ),
    ranked as materialized (
      select b.post_id as id, b.at, b.weight + case when b.place <= ${byBody}::integer then (
          select ts_rank(${BODY_WEIGHTS}, s.document, ${ranking.words}::tsquery)
            + ${follows(sql`s.document`, ranking.phrase, 0.05)}
          from post_search s where s.post_id = b.post_id
        ) else 0 end as weight
      from best b
    )`;

export interface RankOptions {
  now: Date;
  end: 'newest' | 'oldest';
  most: number;
  candidates: number;
  atLeast: number;
  /** So many of the best are weighed by their body too, which is read from afar. */
  byBody: number;
  /** The database gives up after so many milliseconds; null: never. */
  within: number | null;
  /** Of so many posts no plan reads a table of them as a whole; of fewer it is kept from doing so. */
  isLarge: boolean;
}

/**
 * The newest or oldest `most` matches, best first, of the newest or oldest `candidates` posts that the index gives;
 * `cut` says that there were as many, so that more may match. A match in title, tags or excerpt ranks before one in
 * the body only, and of equals the newer first. Of fewer candidates than `atLeast`, only the number is told (`looked`),
 * unless there is an order to be checked. Null: it took longer than `within`.
 */
export async function rankedMatches(
  db: Db,
  condition: Condition,
  ranking: Ranking,
  { now, end, most, candidates, atLeast, byBody, within, isLarge }: RankOptions,
): Promise<{ matches: Match[]; cut: boolean; looked: number } | null> {
  const way = end === 'newest' ? sql`desc` : sql`asc`;
  const statement = sql<{
    looked: number;
    matches: Uint8Array | null;
  }>`${named(condition, ranking, `${end}-${byBody === 0 ? 'head' : 'body'}`)}
    with candidates as materialized (
      select s.post_id, s.at, s.ctid as place from post_search s
      where ${hasAll(condition)} and s.at <= ${now}
      order by s.at ${way}, s.post_id ${way} limit ${candidates}
    ),
    found as materialized (
      -- In the order of the candidates, and no further than to the last one that is wanted: a sort would read them all.
      select c.post_id, c.at, h.head from candidates c
      cross join lateral (select r.head from post_search r where r.ctid = c.place offset 0) h
      where ${inOrder(condition, atLeast)} limit ${most}
    ),
    weighed as materialized (
      select f.post_id, f.at, ts_rank(${HEAD_WEIGHTS}, f.head, ${ranking.words}::tsquery)
        + ${follows(sql`f.head`, ranking.phrase, 0.5)} as weight
      from found f
    ),
    ${byBody === 0 ? sql`ranked as (select post_id as id, at, weight from weighed)` : weighedByBody(ranking, byBody)}
    select (select count(*)::integer from candidates) as looked,
      -- One value for all of them: hundreds of rows take milliseconds to read, and as text each takes several times as long to write.
      (select string_agg(uuid_send(r.id) || timestamptz_send(r.at) || float8send(r.weight), ''::bytea) from ranked r) as matches`;
  const rows = await rowsWith(db, { within, byIndex: !isLarge }, statement);
  if (rows === null) return null;
  const { looked = 0, matches } = rows[0] ?? {};
  return { matches: matches ? matchesOf(matches).toSorted(byWeight) : [], cut: looked >= candidates, looked };
}

/** Best first; of equals the newer. */
export const byWeight = (a: Match, b: Match): number => b.weight - a.weight || b.at - a.at || (a.id < b.id ? 1 : -1);

/** Bytes of a match: id, microseconds since 2000 (as PostgreSQL sends a time), weight. */
const MATCH = { bytes: 32, at: 16, weight: 24 };
const YEAR_2000_MS = Date.UTC(2000, 0, 1);

function matchesOf(all: Uint8Array): Match[] {
  const bytes = Buffer.from(all.buffer, all.byteOffset, all.byteLength);
  const matches: Match[] = [];
  for (let from = 0; from < bytes.length; from += MATCH.bytes) {
    const at = YEAR_2000_MS + Math.round(Number(bytes.readBigInt64BE(from + MATCH.at)) / 1000);
    matches.push({ id: uuidOf(bytes, from), at, weight: bytes.readDoubleBE(from + MATCH.weight) });
  }
  return matches;
}

function uuidOf(bytes: Buffer, from: number): string {
  const hex = bytes.toString('hex', from, from + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Conditions of more parts are not worth a plan that is kept. */
const NAMED_PARTS = 8;

/**
 * The name under which the statement is prepared: one for each text that it may have. The plan is a scan of the index of
 * documents, and reads by key.
 */
function named({ index, order, orderInHead }: Condition, { phrase }: Ranking, way: string): RawBuilder<unknown> {
  if (index.length > NAMED_PARTS) return sql``;
  const checked = order === null ? 'plain' : orderInHead ? 'head' : 'order';
  return sql.raw(`/*named:search-${index.length}-${checked}-${phrase === null ? 'word' : 'words'}-${way}*/`);
}

/** The matches among these posts, at most so many, the next ones first; for those whose time is yet to come. */
export async function matchesAmong(
  db: Db,
  condition: Condition,
  ids: readonly string[],
  most: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select s.post_id as id from post_search s
    where s.post_id = any(${tokens(ids)}::text::uuid[]) and ${hasAll(condition)}
      and ${condition.order === null ? sql`true` : sql`s.document @@ ${condition.order}::tsquery`}
    order by s.at, s.post_id limit ${most}`.execute(db);
  return rows.map((row) => row.id);
}

/** Posts that are scheduled for later, the next ones first; of one author, where one is given. */
export async function scheduledIds(
  db: Db,
  now: Date,
  { authorId, most }: { authorId: string | undefined; most: number },
): Promise<string[]> {
  const author = authorId === undefined ? sql`true` : sql`p.author_id = ${authorId}`;
  const { rows } = await sql<{ id: string }>`
    select p.id from posts p where p.archived_at is null and p.published_at > ${now} and ${author}
    order by p.published_at, p.id limit ${most}`.execute(db);
  return rows.map((row) => row.id);
}

/** Posts that have, or had, a slug that begins so, in its order; of one author, where one is given. */
export async function postsWithSlugFrom(
  db: Db,
  start: string,
  { authorId, most }: { authorId: string | undefined; most: number },
): Promise<string[]> {
  const author = authorId === undefined ? sql`true` : sql`p.author_id = ${authorId}`;
  const { rows } = await sql<{ id: string }>`
    select p.id from post_slugs s join posts p on p.id = s.post_id
    where s.slug >= ${start} and s.slug < ${`${start}~`} and ${author}
    order by s.slug limit ${most}`.execute(db);
  return rows.map((row) => row.id);
}

/**
 * When the public post was published that has so many newer (or older) ones before it, for each of the numbers; null
 * where there is none.
 */
export async function timesOfNth(
  db: Db,
  numbers: readonly number[],
  { now, end }: { now: Date; end: 'newest' | 'oldest' },
): Promise<(Date | null)[]> {
  const way = end === 'newest' ? sql`desc` : sql`asc`;
  const nth = (n: number) => sql`
    (select p.published_at from posts p where p.archived_at is null and p.published_at <= ${now}
     order by p.published_at ${way}, p.id ${way} offset ${n} limit 1)`;
  const { rows } = await sql<{ at: Date | null }>`${sql.join(
    numbers.map((n) => sql`select ${nth(n)} as at`),
    sql` union all `,
  )}`.execute(db);
  return rows.map((row) => row.at);
}
