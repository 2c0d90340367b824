import { sql } from 'kysely';
import type { BlogRole } from '../../contracts/caller.ts';
import { ManualClock } from '../../lib/clock.ts';
import { uuidv7Maker } from '../../lib/ids.ts';
import { type Database, type Env, inTransaction, type Trx } from '../../platform/db/index.ts';
import { findOrCreateAuthor } from '../accounts/index.ts';
import { createPublish } from '../events/index.ts';
import { createPost } from './authoring/create-post.ts';
import { publishPost } from './authoring/publish-post.ts';
import type { Writer } from './rules.ts';
import type { ManagedPost, WritablePost } from './schemas.ts';

/** A content that can be published. */
export const COMPLETE = { title: 'A title', body: 'Some text.', category: 'News' } satisfies WritablePost;

/** What tests of the blog need around a migrated database: a clock that is moved by hand, writers, posts. */
export class BlogFixture {
  readonly database: Database;
  readonly clock = new ManualClock('2026-03-01T12:00:00.000Z');

  readonly #newUuid = uuidv7Maker();

  constructor(database: Database) {
    this.database = database;
  }

  readonly publish = createPublish(() => undefined);

  get db() {
    return this.database.db;
  }

  env = (): Env => ({
    now: new Date(this.clock.now()),
    newId: () => this.#newUuid(this.clock.now()),
    requestId: 'test-request',
  });

  run = <T>(fn: (trx: Trx) => Promise<T>): Promise<T> => inTransaction(this.db, fn);

  async writer(name: string, role: BlogRole): Promise<Writer> {
    const { id } = await this.run((trx) => findOrCreateAuthor(trx, name, this.env()));
    return { id, role };
  }

  draft = (writer: Writer, fields: WritablePost = COMPLETE): Promise<ManagedPost> =>
    this.run((trx) => createPost(trx, { writer, fields }, this.env()));

  /** A post published `at`, or now. */
  async published(writer: Writer, fields: WritablePost = {}, at?: string): Promise<ManagedPost> {
    const { id } = await this.draft(writer, { ...COMPLETE, ...fields });
    return this.run((trx) => publishPost(trx, { writer, id, at }, this.env()));
  }
}

/** For assert.rejects: an AppError of this code. */
export const code = (expected: string) => (error: unknown) => (error as { code?: string }).code === expected;

/** How many posts `publishAround` makes; the last part of an id is its place from the oldest on. */
export const POSTS = 20_000;

/**
 * A fifth of the older half of all posts is of one author and of the category `c1`, of which nothing came since; the newest are stored first, as
 * by an import.
 */
export async function publishAround(quiet: Writer, blog: BlogFixture): Promise<void> {
  const { db, env } = blog;
  const others = await Promise.all(['Bob', 'Eve', 'Zoe'].map((name) => blog.writer(name, 'AUTHOR')));
  await sql`
    insert into posts (id, author_id, slug, title, category, category_key, published_at, first_public_at, created_at,
      updated_at, changed_at)
    select ('0198c2a0-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, (${[quiet, ...others].map(({ id }) => id)}::uuid[])[which], 'p-' || i,
      'T', 'c' || which, 'c' || which, t, t, t, t, t
    from (
      select i, case when i % 5 = 0 and i <= ${POSTS / 2}::integer then 1 else 2 + i % 3 end as which,
        ${env().now}::timestamptz - (${POSTS}::integer - i) * interval '1 minute' as t
      from generate_series(1, ${POSTS}::integer) as i order by i desc
    ) as made`.execute(db);
  await sql`analyze posts`.execute(db);
  await sql`analyze post_counters`.execute(db);
}
