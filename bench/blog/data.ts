/**
 * A blog of any size, written as fast as PostgreSQL takes it. Each of some thousand bodies is rendered and indexed once,
 * by the service's own functions; the posts are then made of them in the database, each with a title, tags, dates and
 * counters of its own. test/bench-blog-data.test.ts holds every row equal to what the service writes itself.
 */
import { sql } from 'kysely';
import { excerptOf, readingMinutes } from '../../src/lib/markdown-text.ts';
import { findOrCreateAuthor } from '../../src/modules/accounts/index.ts';
import { CountChanges } from '../../src/modules/blog/counts/counts.ts';
import { addCounts, addPairs } from '../../src/modules/blog/counts/store.ts';
import { renderMarkdown } from '../../src/modules/blog/rendering/render.ts';
import { RENDERER_VERSION } from '../../src/modules/blog/rendering/render-with.ts';
import { documentOf, INDEX_VERSION } from '../../src/modules/blog/search/document.ts';
import { addWords } from '../../src/modules/blog/search/upkeep-store.ts';
import { type Db, inTransaction } from '../../src/platform/db/index.ts';
import { addActivities, addComments } from './engagement.ts';
import { AUTHORS, type BlogPlan, idAt, KIND } from './plan.ts';
import { type Authors, bodiless, NOTHING, type PostRow, rowOf } from './row.ts';
import { Vocabulary } from './words.ts';

/** Rows of one statement. */
const BATCH = 2000;
/** Sorting and indexing a million rows is several times faster with this than with PostgreSQL's default of 64 MB. */
const MEMORY = '1500MB';

/** Without foreign keys and triggers, each of which would look at every row again. Needs a superuser. */
const withoutChecks = sql`set session_replication_role = replica`;

/** The authors of the plan: users who cannot sign in. */
export async function addAuthors(db: Db, now: number): Promise<Authors> {
  return inTransaction(db, async (trx) => {
    const authors: { id: string }[] = [];
    for (const [n, name] of AUTHORS.entries()) {
      const env = { now: new Date(now), newId: () => idAt(now, KIND.user, n), requestId: 'bench' };
      authors.push(await findOrCreateAuthor(trx, name, env));
    }
    return authors;
  });
}

/** Bodies with all that follows from them; the vectors without the lexemes that are no words. */
async function addBodies(db: Db, bodies: readonly string[]): Promise<void> {
  await sql`create unlogged table bench_bodies (n integer primary key, body text not null, html text not null,
    excerpt text not null, minutes integer not null, head tsvector not null, document tsvector not null)`.execute(db);
  for (let from = 0; from < bodies.length; from += 100) {
    const rows = bodies.slice(from, from + 100).map((body, i) => ({
      n: from + i,
      body,
      html: renderMarkdown(body).html,
      excerpt: excerptOf(body),
      minutes: readingMinutes(body),
      ...documentOf({ ...NOTHING, body }),
    }));
    await sql`
      insert into bench_bodies select n, body, html, excerpt, minutes, head::tsvector, ts_delete(d,
        array(select lexeme from unnest(d) where lexeme like '=%'))
      from json_to_recordset(${JSON.stringify(rows)}::json) as r (n integer, body text, html text, excerpt text,
        minutes integer, head text, document text), lateral (select document::tsvector as d) as v`.execute(db);
  }
}

const addPosts = (rows: readonly PostRow[]) => sql`
  with r as materialized (
    select r.*, b.body as markdown, b.html, b.excerpt, b.minutes, b.head as body_head, b.document as body_document
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (id uuid, body integer, author_id uuid, slug text,
      title text, title_key text, category text, category_key text, tags text[], tag_keys text[], featured boolean,
      published_at timestamptz, archived_at timestamptz, first_public_at timestamptz, created_at timestamptz,
      updated_at timestamptz, changed_at timestamptz, saved_by uuid, saved_at timestamptz, public_from timestamptz,
      searched_at timestamptz, head text, document text)
    join bench_bodies b on b.n = r.body
  ),
  posts as (
    insert into posts (id, author_id, slug, title, title_key, excerpt_auto, category, category_key, tags, tag_keys,
      featured, reading_minutes, published_at, archived_at, first_public_at, created_at, updated_at, changed_at)
    select id, author_id, slug, title, title_key, excerpt, category, category_key, tags, tag_keys,
      featured, minutes, published_at, archived_at, first_public_at, created_at, updated_at, changed_at from r
  ),
  bodies as (
    insert into post_bodies (post_id, body, html, html_version, saved_by, saved_at, saved_version, public_from)
    select id, markdown, html, ${RENDERER_VERSION}::integer, saved_by, saved_at, 1, public_from from r
  ),
  slugs as (insert into post_slugs (slug, post_id) select slug, id from r),
  counters as (
    insert into post_counters (post_id, listed_from)
    select id, case when archived_at is null then published_at end from r
  )
  insert into post_search (post_id, at, version, head, document)
  select id, searched_at, ${INDEX_VERSION}::integer, head::tsvector || body_head, document::tsvector || body_document
  from r`;

/** What the triggers of `posts` write, in the order of its index. */
const addTags = sql`
  insert into post_tags
  select distinct t.key, p.published_at, p.id, p.category_key, p.author_id, p.featured
  from posts p, unnest(p.tag_keys) as t (key) where p.archived_at is null and p.published_at is not null
  order by 1, 2, 3`;

/** All the posts; two connections write at once. */
async function addAllPosts(db: Db, plan: BlogPlan, authors: Authors): Promise<void> {
  const counts = new CountChanges(new Date(plan.now));
  const words = new Vocabulary(plan.material.bodies);
  const posts = plan.posts();
  const nextRows = (): PostRow[] => {
    const rows: PostRow[] = [];
    for (let next = posts.next(); !next.done; next = posts.next()) {
      const stored = bodiless(next.value, authors);
      counts.move(null, stored);
      words.add(next.value);
      rows.push(rowOf(next.value, stored));
      if (rows.length === BATCH) break;
    }
    return rows;
  };
  const write = () =>
    db.connection().execute(async (connection) => {
      await withoutChecks.execute(connection);
      for (let rows = nextRows(); rows.length > 0; rows = nextRows()) await addPosts(rows).execute(connection);
      await sql`reset session_replication_role`.execute(connection);
    });
  await Promise.all([write(), write()]);
  await inTransaction(db, async (trx) => {
    await addCounts(trx, counts.list());
    await addPairs(trx, counts.pairs());
    const list = words.list();
    for (let from = 0; from < list.length; from += 20_000) await addWords(trx, list.slice(from, from + 20_000));
  });
}

/** The blog's indexes that are no constraints: made at the end, which takes a tenth of the time. */
async function dropIndexes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select i.indexname as name, i.indexdef as definition from pg_indexes i
    where i.schemaname = current_schema() and (i.tablename like 'post%' or i.tablename like 'comment%')
      and not exists (select 1 from pg_constraint c where c.conindid = (quote_ident(i.indexname))::regclass)
    order by i.indexname = 'post_search_document' desc, i.indexname`.execute(db);
  for (const { name } of rows) await sql`drop index ${sql.id(name)}`.execute(db);
  return rows.map((row) => row.definition);
}

/** Two at once, the largest first. */
async function createIndexes(db: Db, definitions: readonly string[]): Promise<void> {
  const left = [...definitions];
  const create = () =>
    db.connection().execute(async (connection) => {
      await sql`set maintenance_work_mem = ${sql.lit(MEMORY)}`.execute(connection);
      for (let next = left.shift(); next !== undefined; next = left.shift()) await sql.raw(next).execute(connection);
      await sql`reset maintenance_work_mem`.execute(connection);
    });
  await Promise.all([create(), create()]);
}

/** Fills an empty, migrated database. `told` hears what is being done. */
export async function fillBlog(db: Db, plan: BlogPlan, told: (what: string) => void = () => undefined): Promise<void> {
  const authors = await addAuthors(db, plan.now);
  const indexes = await dropIndexes(db);
  told('bodies');
  await addBodies(db, plan.material.bodies);
  told('posts');
  await addAllPosts(db, plan, authors);
  await sql`drop table bench_bodies`.execute(db);
  await addTags.execute(db);
  // As if all of it were older than what is remembered of changes.
  await sql`update post_index_clock set changed_at = ${new Date(plan.now)}, kept_since = ${new Date(plan.now)}`.execute(
    db,
  );
  told('comments, likes and views');
  await addComments(db, plan);
  await addActivities(db, plan);
  told('indexes');
  await createIndexes(db, indexes);
  told('statistics');
  await sql`vacuum (analyze, process_toast false)`.execute(db);
}
