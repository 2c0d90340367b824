import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture } from '../fixtures.ts';
import { type CounterSort, found } from './sorted-store.ts';
import { placeOf, type WayOfTag, type WayOfTags } from './way-to.ts';
import { foundByDate } from './dated-store.ts';
import { byId, withRelated } from './detail-store.ts';
import { facets, type PublicFilter } from './store.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const ann = await blog.writer('Ann', 'AUTHOR');
const SORTS: CounterSort[] = ['most_viewed', 'most_liked', 'most_shared', 'most_commented', 'trending'];
const ALL: PublicFilter = { categoryKey: undefined, tagKeys: [], featured: undefined, authorIds: undefined };

before(async () => {
  await sql`
    insert into posts (id, author_id, slug, title, category, category_key, published_at, first_public_at, created_at,
      updated_at, changed_at, comment_count, tags, tag_keys)
    select gen_random_uuid(), ${ann.id}, 'p-' || i, 'T', c, c, t, t, t, t, t, i % 50, tags, tags
    from (select i, case when i % 100 = 0 then 'rare' else 'often' end as c,
      ${env().now}::timestamptz - i * interval '1 minute' as t,
      case when i > 19990 then array['rare'] else array['often'] end as tags from generate_series(1, 20000) as i) as made`.execute(
    db,
  );
  await sql`update post_counters set like_count = random() * 50, view_count = random() * 500,
    share_count = random() * 20, trend = random() * 20000`.execute(db);
  await sql`insert into post_counts (kind, key, name, count)
    select kind, 'Tag ' || i, 'tag ' || i, 1 from generate_series(1, 500) as i, unnest(array['tag', 'tag_as']) as kind`.execute(
    db,
  );
  await sql`analyze`.execute(db);
});

/** The plan of a statement, as it ran: each node of it. */
async function planned(statement: RawBuilder<unknown>): Promise<Plan[]> {
  const { rows } = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }>`explain (analyze, format json) ${statement}`.execute(
    db,
  );
  const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];
  return nodes(rows[0]?.['QUERY PLAN'][0]?.Plan as Plan);
}

const FIRST = { fromEnd: false, limit: 20, offset: 0 };

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Rows Removed by Filter'?: number;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Plan[];
}

/** Each node of the plan by which the page was found, as it ran. */
async function planOf(sort: CounterSort, filter: PublicFilter, way: WayOfTag): Promise<Plan[]> {
  return planned(found(filter, env().now, { sort, ...FIRST, way }));
}

const INDEXES: Record<CounterSort, string> = {
  most_viewed: 'post_counters_viewed',
  most_liked: 'post_counters_liked',
  most_shared: 'post_counters_shared',
  most_commented: 'posts_commented',
  trending: 'post_counters_trend',
};

describe('of 20 000 posts', () => {
  for (const sort of SORTS) {
    test(`${sort}: the first page is read off its index`, async () => {
      const plan = await planOf(sort, ALL, 'walk');
      assert.ok(!plan.some((node) => node['Node Type'] === 'Sort'), 'nothing is sorted');
      assert.ok(plan.some((node) => node['Index Name'] === INDEXES[sort]));
      for (const node of plan) assert.ok(node['Actual Rows'] <= 20, `${node['Node Type']} read ${node['Actual Rows']}`);
    });

    test(`${sort}: of a filter that matches few, those are read and no others`, async () => {
      const plan = await planOf(sort, { ...ALL, categoryKey: 'rare' }, 'gather');
      assert.ok(plan.some((node) => node['Index Name'] === 'posts_category'));
      for (const node of plan) {
        const rows = node['Actual Rows'] * node['Actual Loops'];
        assert.ok(rows <= 200, `${node['Node Type']} read ${rows}`);
      }
    });

    test(`${sort}: of a search, its matches are read and no others`, async () => {
      const { rows: posts } = await sql<{ id: string }>`select id from posts order by id limit 200`.execute(db);
      const plan = await planOf(sort, { ...ALL, ids: posts.map((post) => post.id) }, 'gather');
      assert.ok(plan.some((node) => node['Index Name'] === 'posts_pkey'));
      for (const node of plan) {
        const rows = node['Actual Rows'] * node['Actual Loops'];
        assert.ok(rows <= 200, `${node['Node Type']} read ${rows}`);
      }
    });
  }

  for (const sort of SORTS) {
    test(`${sort}: of a tag, its posts are read once, and the first ones of the order are looked up among them`, async () => {
      await sql`
        insert into post_tags (tag_key, published_at, post_id, category_key, author_id, featured)
        select 'held', p.published_at, p.id, p.category_key, p.author_id, p.featured from posts p
        where p.comment_count % 5 = 0 on conflict do nothing`.execute(db);
      await sql`analyze post_tags`.execute(db);
      const plan = await planOf(sort, { ...ALL, tagKeys: ['held'] }, 'hold');
      assert.ok(plan.some((node) => node['Index Name'] === INDEXES[sort]));
      assert.ok(!plan.some((node) => /Sort|Join|Nested/.test(node['Node Type'])), 'nothing is sorted');
      const tags = plan.filter((node) => node['Relation Name'] === 'post_tags');
      assert.deepEqual(
        tags.map((node) => [node['Actual Loops'], node['Actual Rows']]),
        [[1, 4000]],
      );
    });
  }

  for (const sort of ['newest', 'oldest'] as const) {
    test(`${sort}: of a tag that few posts have, those are read and no others`, async () => {
      const rare = { ...ALL, tagKeys: ['rare'] };
      for (const node of await planned(foundByDate(rare, env().now, { sort, ...FIRST, way: 'gather' }))) {
        const rows = node['Actual Rows'] * node['Actual Loops'] + (node['Rows Removed by Filter'] ?? 0);
        assert.ok(rows <= 20, `${node['Node Type']} read ${rows}`);
      }
    });
  }

  for (const sort of ['newest', 'oldest'] as const) {
    test(`${sort}: of an author whose posts are all old, those of the page are read and no others`, async () => {
      const zoe = await blog.writer(`Zoe, ${sort}`, 'AUTHOR');
      await sql`update posts set author_id = ${zoe.id}
        where id in (select id from posts where author_id = ${ann.id} order by published_at limit 2000)`.execute(db);
      await sql`analyze posts`.execute(db);
      const plan = await planned(
        foundByDate({ ...ALL, authorIds: [zoe.id] }, env().now, { sort, ...FIRST, way: 'walk' }),
      );
      for (const node of plan) {
        const rows = node['Actual Rows'] * node['Actual Loops'] + (node['Rows Removed by Filter'] ?? 0);
        assert.ok(rows <= 20, `${node['Node Type']} read ${rows}`);
      }
    });
  }

  describe('of two tags', () => {
    before(async () => {
      await sql`
        insert into post_tags (tag_key, published_at, post_id, category_key, author_id, featured)
        select 'fifth', p.published_at, p.id, p.category_key, p.author_id, p.featured from posts p
        where right(p.slug, 1) = '5' on conflict do nothing`.execute(db);
      await sql`analyze post_tags`.execute(db);
    });
    const rowsOf = async (way: WayOfTags): Promise<number[]> => {
      const filter = { ...ALL, tagKeys: ['fifth', 'often'] };
      const plan = await planned(foundByDate(filter, env().now, { sort: 'newest', ...FIRST, way }));
      const read = plan.filter((node) => node['Relation Name'] === 'post_tags');
      return read.map((node) => node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)));
    };

    test('the rarest is walked until the page is full, and each of its entries is looked up', async () => {
      assert.deepEqual(await rowsOf('walk'), [20, 20]);
    });

    test('the rarest is read once, and the other is gone through in the order of dates', async () => {
      const rows = await rowsOf('hold');
      assert.equal(rows.length, 2);
      assert.ok(rows.includes(2000) && Math.min(...rows) <= 300, rows.join());
    });
  });

  test('the last page is read from the end, whatever the order', async () => {
    const { rows } = await sql`select from posts`.execute(db);
    const place = placeOf({ offset: rows.length - 7, limit: 20, total: rows.length });
    const statements = [
      ...SORTS.map((sort) => found(ALL, env().now, { sort, ...place, way: 'walk' })),
      ...(['newest', 'oldest'] as const).map((sort) => foundByDate(ALL, env().now, { sort, ...place, way: 'walk' })),
    ];
    for (const statement of statements) {
      for (const node of await planned(statement)) assert.equal(node['Actual Rows'], 7, node['Node Type']);
    }
  });

  for (const slug of ['p-19999', 'p-100']) {
    test(`the detail of ${slug} and what is near to it read the latest of its tag and category`, async () => {
      const { rows: posts } = await sql<{ id: string }>`select id from posts where slug = ${slug}`.execute(db);
      const asked = byId(posts[0]?.id as string);
      const plan = (await planned(withRelated(asked, env().now))).filter((node) => node['Relation Name'] !== undefined);
      assert.ok(plan.length >= 5);
      for (const node of plan) {
        const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
        assert.ok(rows <= 200, `${node['Node Type']} of ${node['Relation Name']} read ${rows}`);
      }
    });
  }

  test('the taxonomy reads its counts and no post', async () => {
    const plan = await planned(facets(env().now));
    assert.ok(plan.some((node) => node['Relation Name'] === 'post_counts'));
    for (const node of plan.filter((one) => one['Relation Name'] === 'posts')) assert.equal(node['Actual Rows'], 0);
  });
});
