import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture } from '../fixtures.ts';
import { STATES } from '../rules.ts';
import type { ManagedSummary } from '../schemas.ts';
import { listManagedPosts } from './list-managed-posts.ts';
import { foundSorted, type MergedSort } from './sorted-store.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const editor = await blog.writer('Eve', 'EDITOR');
const author = await blog.writer('Ann', 'AUTHOR');
const POSTS = 20_000;

const SORTS: MergedSort[] = ['published', 'most_viewed', 'most_liked', 'most_commented'];

/** Of a hundred 3 drafts, 2 archived, 1 scheduled; a seventh is one author's; many have the same counters. */
before(async () => {
  await sql`
    insert into posts (id, author_id, slug, title, category, category_key, published_at, archived_at, first_public_at, created_at,
      updated_at, changed_at, comment_count)
    select gen_random_uuid(), case when i % 7 = 0 then ${author.id}::uuid else ${editor.id}::uuid end, 'p-' || i, 'T', 'C', 'c',
      case when i % 100 < 3 then null when i % 100 = 5 then t + interval '400 days' else t end,
      case when i % 100 in (3, 4) then t end, t, t, t, t, i % 40
    from (select i, ${env().now}::timestamptz - i * interval '10 minutes' as t from generate_series(1, ${POSTS}::int) as i) as made`.execute(
    db,
  );
  await sql`update post_counters set like_count = random() * 50, view_count = random() * 500`.execute(db);
  await sql`analyze`.execute(db);
});

describe('the managed list in its orders', () => {
  for (const sort of SORTS) {
    test(`${sort}: pages follow each other without a gap, in every state, for an editor and an author`, async () => {
      for (const writer of [editor, author]) {
        for (const status of [undefined, ...STATES]) {
          const seen: ManagedSummary[] = [];
          for (const page of [1, 2, 3]) {
            const query = { sort, page, limit: 50, ...(status && { status }) };
            seen.push(...(await listManagedPosts(db, { writer, query }, env())).data);
          }
          const about = `${writer.role} ${status}`;
          assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length, about);
          const isOfState = seen.every((post) => status === undefined || post.status === status);
          assert.ok(isOfState && (writer === editor || seen.every((p) => p.author.id === author.id)), about);
          assert.deepEqual(
            seen.map(({ id }) => id),
            await firstIds(sort, status, writer === author, seen.length),
            about,
          );
          assert.ok(seen.length >= 20, about);
        }
      }
    });

    test(`${sort}: the first page of an editor is read off indexes in every state`, async () => {
      for (const status of [undefined, ...STATES]) {
        const read = await rowsRead(sort, status);
        // What is scheduled, or archived, or a draft, is sorted; not the 18 800 others.
        assert.ok(read <= 2000, `${status} reads ${read} rows`);
      }
    });
  }
});

/** The same by the plainest statement. */
async function firstIds(sort: MergedSort, status: string | undefined, isOwn: boolean, most: number): Promise<string[]> {
  const value = {
    published: 'published_at',
    most_viewed: 'view_count',
    most_liked: 'like_count',
    most_commented: 'comment_count',
  };
  const { rows } = await sql<{ id: string }>`
    select id from (select p.*, k.view_count, k.like_count, case when published_at is null then 'DRAFT' when archived_at is not null
      then 'ARCHIVED' when published_at > ${env().now} then 'SCHEDULED' else 'PUBLISHED' end as status
      from posts p join post_counters k on k.post_id = p.id) as p
    where (${status ?? null}::text is null or status = ${status ?? null}) and (${!isOwn} or author_id = ${author.id})
    order by ${sql.ref(value[sort])} desc nulls last, id desc limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** How many rows of tables and indexes a first page looks at. */
async function rowsRead(sort: MergedSort, status: (typeof STATES)[number] | undefined): Promise<number> {
  const page = { sort, status, authorId: undefined, now: env().now, offset: 0, limit: 20 };
  const { rows } = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }>`
    explain (analyze, format json) ${foundSorted(page)}`.execute(db);
  const count = (plan: Plan): number => {
    const own = plan['Relation Name']
      ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
      : 0;
    return own + (plan.Plans ?? []).reduce((sum, inner) => sum + count(inner), 0);
  };
  return count(rows[0]?.['QUERY PLAN'][0]?.Plan as Plan);
}
