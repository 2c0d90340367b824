import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture } from '../fixtures.ts';
import { findPublicBySlug } from './detail-store.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const ann = await blog.writer('Ann', 'AUTHOR');

const MINUTE = 60_000;
const POSTS = 900;
/** As many posts are looked at of a tag, of a category, and of all. */
const [OF_A_KIND, OF_ALL, SHOWN] = [100, 5, 4];

/** Numbers of [0, 1), the same at every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

interface Planned {
  id: string;
  slug: string;
  category: string;
  tags: string[];
  at: number;
  isPublic: boolean;
}

/** Tags as unevenly spread as words are, so that the lists of some end long before those of others; many times are equal. */
function planned(): Planned[] {
  const random = numbers(7);
  const tag = () => `tag${Math.floor(13 ** random())}`;
  return Array.from({ length: POSTS }, (_, n) => ({
    id: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    slug: `p-${n}`,
    category: `category${Math.floor(6 ** random())}`,
    tags: [...new Set(Array.from({ length: Math.floor(random() * 6) }, tag))],
    at: env().now.getTime() - Math.floor(random() * 300) * MINUTE,
    isPublic: random() > 0.05,
  }));
}
const posts = planned();

before(async () => {
  const rows = posts.map(({ at, tags, isPublic, ...post }) => {
    const time = new Date(at).toISOString();
    return { ...post, tags, at: time, archived: isPublic ? null : time };
  });
  await sql`
    with made as (
      insert into posts (id, author_id, slug, title, category, category_key, published_at, archived_at, first_public_at,
        created_at, updated_at, changed_at, tags, tag_keys)
      select id, ${ann.id}, slug, slug, category, category, at, archived, at, at, at, at, tags, tags
      from json_to_recordset(${JSON.stringify(rows)}::json) as r (id uuid, slug text, category text, tags text[],
        at timestamptz, archived timestamptz)
      returning id, slug
    ), slugs as (insert into post_slugs (slug, post_id) select slug, id from made)
    insert into post_bodies (post_id, body, html, html_version, saved_at, saved_version) select id, '', '', 1, now(), 1 from made`.execute(
    db,
  );
});

const latestFirst = (a: Planned, b: Planned): number => b.at - a.at || (a.id < b.id ? 1 : -1);

/** By the rule: of the latest of each tag, of the category and of all, those with most shared tags, and so on. */
function near(to: Planned): string[] {
  const all = posts.filter((post) => post.isPublic).toSorted(latestFirst);
  const candidates = new Set([
    ...to.tags.flatMap((tag) => all.filter(({ tags }) => tags.includes(tag)).slice(0, OF_A_KIND)),
    ...all.filter(({ category }) => category === to.category).slice(0, OF_A_KIND),
    ...all.slice(0, OF_ALL),
  ]);
  const shared = (post: Planned): number => post.tags.filter((tag) => to.tags.includes(tag)).length;
  const same = (post: Planned): number => Number(post.category === to.category);
  return [...candidates]
    .filter((post) => post !== to)
    .toSorted((a, b) => shared(b) - shared(a) || same(b) - same(a) || latestFirst(a, b))
    .slice(0, SHOWN)
    .map((post) => post.slug);
}

test('related posts go by the rule, also where a tag has more posts than are looked at', async () => {
  const counts = new Map<string, number>();
  for (const tag of posts.flatMap((post) => post.tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  assert.ok([...counts.values()].filter((count) => count > 2 * OF_A_KIND).length >= 3, 'several lists are cut');
  for (const post of posts.filter((one) => one.isPublic).slice(0, 300)) {
    const found = await findPublicBySlug(db, post.slug, env().now);
    assert.equal(found?.post.slug, post.slug);
    assert.deepEqual(
      found?.related.map((one) => one.slug),
      near(post),
      post.slug,
    );
  }
});
