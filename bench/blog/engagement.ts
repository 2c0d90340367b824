import { sql } from 'kysely';
import { pathBelow, textKey } from '../../src/modules/blog/comments/rules.ts';
import { addActivity, NO_TREND, WEIGHTS } from '../../src/modules/blog/engagement/trend.ts';
import { type Db, inTransaction } from '../../src/platform/db/index.ts';
import { type BlogPlan, idAt, KIND, type PlannedActivity, type PlannedComment, READERS } from './plan.ts';

const BATCH = 2000;

/** Id of a reader by number. Authors have the numbers below. */
export const readerId = (plan: BlogPlan, n: number): string => idAt(plan.now, KIND.user, 1000 + n);

/** The readers of the plan: users who cannot sign in. */
export async function addReaders(db: Db, plan: BlogPlan): Promise<void> {
  const ids = Array.from({ length: READERS }, (_, n) => readerId(plan, n));
  await sql`
    insert into users (id, email, name, created_at, updated_at)
    select id, 'reader' || n || '@bench.example', 'Reader ' || n, ${new Date(plan.now)}, ${new Date(plan.now)}
    from unnest(${ids}::uuid[]) with ordinality as r (id, n)`.execute(db);
}

async function inBatches<T>(items: Iterable<T>, write: (batch: T[]) => Promise<void>): Promise<void> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === BATCH) await write(batch.splice(0));
  }
  if (batch.length > 0) await write(batch);
}

/** Comments are nested below those that they answer, so the places of the tops are known. */
const commentRow = (plan: BlogPlan, { id, post, reader, parent, body, at }: PlannedComment) => ({
  id,
  post_id: post.id,
  parent_id: parent?.id ?? null,
  root_id: parent?.id ?? id,
  path: parent === null ? [] : pathBelow({ id: parent.id, path: [] }),
  author_id: readerId(plan, reader),
  body,
  text_key: textKey(body),
  created_at: at,
});

/** The readers and their comments, with the counts. */
export async function addComments(db: Db, plan: BlogPlan): Promise<void> {
  await addReaders(db, plan);
  await inBatches(plan.comments(), async (batch) => {
    const rows = batch.map((comment) => commentRow(plan, comment));
    await sql`
      insert into comments (id, post_id, parent_id, root_id, path, author_id, body, status, text_key, created_at)
      select id, post_id, parent_id, root_id, path, author_id, body, 'VISIBLE', text_key, created_at
      from json_to_recordset(${JSON.stringify(rows)}::json) as r (id uuid, post_id uuid, parent_id uuid, root_id uuid,
        path uuid[], author_id uuid, body text, text_key text, created_at timestamptz)`.execute(db);
  });
  await inTransaction(db, async (trx) => {
    await sql`update comments c set thread_visible = n.count
      from (select root_id, count(*) from comments group by root_id) as n where c.id = n.root_id`.execute(trx);
    await sql`update posts p set comment_count = n.comments, comment_threads = n.threads
      from (select post_id, count(*) as comments, count(*) filter (where parent_id is null) as threads from comments
            group by post_id) as n where p.id = n.post_id`.execute(trx);
  });
}

/** Some at once on one day count as much as one of the sum of their weights. */
function trendOf({ likes, views }: PlannedActivity): number {
  let trend: number = NO_TREND;
  for (const { at } of likes) trend = addActivity(trend, WEIGHTS.like, at.getTime());
  for (const { at, count } of views) trend = addActivity(trend, WEIGHTS.view * count, at.getTime());
  return trend;
}

/** Likes and views with their rows and counters. */
export async function addActivities(db: Db, plan: BlogPlan): Promise<void> {
  await inBatches(plan.activities(), async (batch) => {
    const likes = batch.flatMap(({ post, likes }) =>
      likes.map(({ reader, at }) => ({ post_id: post.id, user_id: readerId(plan, reader), created_at: at })),
    );
    const views = batch.flatMap(({ post, views }) =>
      views.map(({ at, count }) => ({ post_id: post.id, day: at.toISOString().slice(0, 10), views: count })),
    );
    const counters = batch.map((activity) => ({
      post_id: activity.post.id,
      likes: activity.likes.length,
      views: activity.views.reduce((sum, { count }) => sum + count, 0),
      trend: trendOf(activity),
    }));
    await inTransaction(db, async (trx) => {
      await sql`
        insert into post_likes (post_id, user_id, created_at)
        select * from json_to_recordset(${JSON.stringify(likes)}::json)
          as r (post_id uuid, user_id uuid, created_at timestamptz)`.execute(trx);
      await sql`
        insert into post_views (post_id, day, views)
        select * from json_to_recordset(${JSON.stringify(views)}::json)
          as r (post_id uuid, day date, views bigint)`.execute(trx);
      await sql`
        update post_counters k set like_count = r.likes, view_count = r.views, trend = r.trend
        from json_to_recordset(${JSON.stringify(counters)}::json)
          as r (post_id uuid, likes integer, views bigint, trend double precision)
        where k.post_id = r.post_id`.execute(trx);
    });
  });
}
