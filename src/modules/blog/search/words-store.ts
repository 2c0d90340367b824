import { type RawBuilder, sql } from 'kysely';
import { type Db, rowsWith } from '../../../platform/db/index.ts';
import { countOf } from '../counts/store.ts';

/** A word and how often a post was kept up that had it in title, tags or excerpt: more posts than that do not have it there. */
export interface UsedWord {
  word: string;
  used: number;
}

/** What is known of the words of a query. */
export interface KnownWords {
  /** Posts that are public or scheduled. */
  posts: number;
  /** Those of the words that any post was indexed with, by how often it was in a title, tags or an excerpt. */
  used: ReadonlyMap<string, number>;
  /** Words that begin with `start`, those of most titles first. */
  beginning: UsedWord[];
  /** Words that begin with any of the stems, those of most titles first. */
  stemmed: UsedWord[];
}

/** Of the words that are used about equally often, only so many are looked at: the first ones of the alphabet. */
const OF_A_RANK = 50;

/** Reads some hundreds, however short the beginning. */
const beginning = (start: string, most: number): RawBuilder<UsedWord> => sql`
  select w.word, w.used from generate_series(20, 0, -1) as ranks (rank) cross join lateral (
    select p.word, p.used from post_words p
    where p.rank = ranks.rank and p.word > ${start} and p.word < ${`${start}\u{10ffff}`}
    order by p.word limit ${sql.lit(OF_A_RANK)}
  ) w
  order by w.used desc, length(w.word), w.word limit ${most}`;

export interface LookedUp {
  words: readonly string[];
  /** Beginnings of words. */
  stems: readonly string[];
  start: string | null;
  /** So many of those that begin with `start`. */
  most: number;
  /** The blog has so many posts that no plan reads a table as a whole. */
  isLarge: boolean;
}

/** Of the words that begin with a stem, the first ones of the alphabet are read, and the most used of these given. */
const OF_A_STEM = { read: 100, given: 30 };

const stemmed = (stems: readonly string[]): RawBuilder<UsedWord> => sql`
  select distinct w.word, w.used
  from unnest(${[...stems]}::text[], ${stems.map((stem) => `${stem}\u{10ffff}`)}::text[]) as s (stem, upto)
  cross join lateral (
    select r.word, r.used from (
      select p.word, p.used from post_words p where p.word >= s.stem and p.word < s.upto
      order by p.word limit ${sql.lit(OF_A_STEM.read)}
    ) r
    order by r.used desc, r.word limit ${sql.lit(OF_A_STEM.given)}
  ) w`;

/** In one statement, whose plan is kept; `start` null: no words that begin so are asked for. */
export async function lookUpWords(db: Db, { words, stems, start, most, isLarge }: LookedUp): Promise<KnownWords> {
  const pairs = (from: RawBuilder<unknown>) => sql`
    (select coalesce(json_agg(json_build_array(f.word, f.used)), '[]')::text from (${from}) f)`;
  const known = sql`select word, used from post_words where word = any(${[...words]}::text[])`;
  const name = sql.raw(`/*named:search-${start === null ? 'words' : 'beginning'}*/`);
  const statement = sql<{ posts: number; known: string; stemmed: string; beginning: string }>`${name}
    select ${countOf('all', [''])} as posts, ${pairs(known)} as known, ${pairs(stemmed(stems))} as stemmed,
      ${start === null ? sql.lit('[]') : pairs(beginning(start, most))} as beginning`;
  const rows = (await rowsWith(db, { byIndex: !isLarge }, statement)) ?? [];
  const [{ posts, ...lists } = { posts: 0, known: '[]', stemmed: '[]', beginning: '[]' }] = rows;
  const read = (list: string) => JSON.parse(list) as [word: string, used: number][];
  const named = (list: string) => read(list).map(([word, used]) => ({ word, used }));
  return {
    posts,
    used: new Map(read(lists.known)),
    beginning: named(lists.beginning),
    stemmed: named(lists.stemmed),
  };
}

/** The statement that finds the words that have one of these forms with letters left out; each form is looked up in the index. */
export const nearWords = (forms: readonly string[], most: number): RawBuilder<unknown> => sql`
  select distinct w.word, w.used
  from unnest(${[...forms]}::text[]) as f (form)
  cross join lateral (select n.word, n.used from post_words n where n.near @> array[f.form] collate "C" offset 0) w
  order by w.used desc, w.word limit ${most}`;

/** Words that have one of these forms with letters left out. */
export async function wordsNear(db: Db, forms: readonly string[], most: number): Promise<UsedWord[]> {
  return (await rowsWith(db, { byIndex: true }, sql<UsedWord>`${nearWords(forms, most)}`)) ?? [];
}
