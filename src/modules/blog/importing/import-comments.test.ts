import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { createUser, findOrCreateAuthor } from '../../accounts/index.ts';
import { deletePost } from '../authoring/delete-post.ts';
import { publishPost } from '../authoring/publish-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { CommentFixture, outline } from '../comments/fixtures.ts';
import { importPosts } from './import-posts.ts';
import { type ImportBody, readItem } from './item.ts';

const blog = new CommentFixture(await withDatabase());
const { run, env, db } = blog;
const editor = await blog.writer('Eve', 'EDITOR');
const OLD = '2013-06-04T21:37:25.000Z';
const at = (day: number) => `2014-01-${String(day).padStart(2, '0')}T00:00:00.000Z`;

type Posts = ImportBody['posts'];
const counted: string[] = [];
const load = (posts: Posts, dryRun = false) =>
  run((trx) =>
    importPosts(trx, { writer: editor, posts, dryRun }, env(), {
      findOrCreateAuthor,
      counted: (ids) => counted.push(...ids),
    }),
  );
const one = async (post: Posts[number], dryRun = false) => {
  const [result] = await load([post], dryRun);
  assert.ok(result);
  return result;
};

let n = 0;
/** A published post with comments. */
const withComments = (comments: object[], more: Record<string, unknown> = {}): Posts[number] & { slug: string } => {
  const slug = `post-${++n}`;
  return {
    source: `s${n}`,
    title: `Post ${n}`,
    slug,
    body: 'Text.',
    category: 'C',
    publishedAt: OLD,
    comments,
    ...more,
  };
};
const comment = (source: string, day: number, more: object = {}) => ({
  source,
  body: `Body of ${source}`,
  author: 'Cleo',
  createdAt: at(day),
  status: 'VISIBLE',
  ...more,
});
const treeOf = async (slug: string) => outline((await blog.list(slug)).data);
const noneOf = { created: 0, unchanged: 0, skipped: 0, reason: null };

describe('comments of an import', () => {
  const thread = [
    comment('a', 1, { body: ' Top \n\nsecond ' }),
    comment('b', 3, { parent: 'a', author: 'Dee' }),
    comment('c', 2, { parent: 'b', status: 'HIDDEN' }),
    comment('d', 4, { parent: 'c' }),
    comment('e', 5, { status: 'DELETED', body: '', author: undefined }),
    comment('f', 6, { parent: 'e' }),
  ].map((c) => JSON.parse(JSON.stringify(c)) as object);

  test('come with names, dates, threads and states, are counted, and tell nobody', async () => {
    const post = withComments(thread);
    counted.length = 0;
    const result = await one(post);
    assert.deepEqual(result.comments, { ...noneOf, created: 6 });
    assert.deepEqual(counted, [result.postId]);
    assert.deepEqual(await treeOf(post.slug), [
      ['Top \n\nsecond', ['Body of b', ['-', ['Body of d']]]],
      ['-', ['Body of f']],
    ]);
    const [top] = (await blog.list(post.slug)).data;
    assert.deepEqual([top?.author?.name, top?.createdAt, top?.replies[0]?.author?.name], ['Cleo', at(1), 'Dee']);
    assert.deepEqual(await blog.drift(), []);
    assert.deepEqual(await blog.flagged(), []);
    const { rows } = await sql`select 1 from moderation_log`.execute(db);
    assert.deepEqual(rows, []);
  });

  test('are not of the future', async () => {
    const post = withComments([comment('late', 1, { createdAt: '2999-01-01T00:00:00Z' })]);
    await one(post);
    const [top] = (await blog.list(post.slug)).data;
    assert.equal(top?.createdAt, env().now.toISOString());
  });

  test('change nothing on the second run, also when they were hidden or deleted here since', async () => {
    const post = withComments([comment('a', 1), comment('b', 2), comment('c', 3)]);
    await one(post);
    const { data } = await blog.list(post.slug);
    await blog.moderate(editor, data[0]?.id ?? '', 'HIDDEN');
    await blog.remove({ id: data[1]?.author?.id ?? '' }, data[1]?.id ?? '');
    const again = await one({
      ...post,
      comments: [comment('a', 1, { body: 'Other' }), comment('b', 2), comment('c', 3)],
    });
    assert.deepEqual([again.outcome, again.comments], ['unchanged', { ...noneOf, unchanged: 3 }]);
    assert.deepEqual(await treeOf(post.slug), [['Body of c']]);
    assert.deepEqual(await blog.drift(), []);
  });

  test('come in portions, and to a post that was edited here', async () => {
    const post = withComments([comment('a', 1)]);
    const { postId } = await one(post);
    await run((trx) => updatePost(trx, { writer: editor, id: postId ?? '', fields: { body: 'Mine' } }, env()));
    const more = await one({ ...post, body: 'Theirs', comments: [comment('b', 2, { parent: 'a' }), comment('a', 1)] });
    assert.deepEqual([more.outcome, more.comments], ['skipped', { ...noneOf, created: 1, unchanged: 1 }]);
    assert.deepEqual(await treeOf(post.slug), [['Body of a', ['Body of b']]]);
    assert.deepEqual(await blog.drift(), []);
  });

  test('stay out of a post that is public here and not any more there', async () => {
    const out = { ...noneOf, skipped: 1, reason: 'their post is not public where they come from, and is here' };
    const inside = { publishedAt: undefined, body: 'Theirs', comments: [comment('b', 2)] };
    for (const isEdited of [false, true]) {
      const post = withComments([comment('a', 1)]);
      const { postId } = await one(post);
      const fields = { body: 'Mine' };
      if (isEdited) await run((trx) => updatePost(trx, { writer: editor, id: postId ?? '', fields }, env()));
      const again = await one(JSON.parse(JSON.stringify({ ...post, ...inside })) as Posts[number]);
      assert.deepEqual([again.outcome, again.comments], ['skipped', out]);
      assert.deepEqual(await treeOf(post.slug), [['Body of a']]);
    }
    assert.deepEqual(await blog.drift(), []);
  });

  test('stay out of what was published here by hand, whether its text changed there or not', async () => {
    const draft = { ...withComments([comment('a', 1)]), publishedAt: undefined };
    const given = JSON.parse(JSON.stringify(draft)) as Posts[number];
    const { postId } = await one(given);
    await run((trx) => publishPost(trx, { writer: editor, id: postId ?? '' }, env()));
    const reason = 'their post is not public where they come from, and is here';
    for (const [body, outcome] of [
      ['Text.', 'unchanged'],
      ['Theirs', 'skipped'],
    ] as const) {
      const again = await one({ ...given, body, comments: [comment('b', 2)] });
      assert.deepEqual([again.outcome, again.comments], [outcome, { ...noneOf, skipped: 1, reason }]);
    }
    assert.deepEqual(await treeOf(draft.slug), [['Body of a']]);
  });

  test('answer those that readers wrote here, by id; what answers nothing that is here stands by itself', async () => {
    const post = withComments([]);
    await one(post);
    const reader = await blog.reader('Rita');
    const here = await blog.comment(reader, post.slug);
    const other = withComments([comment('elsewhere', 1)]);
    await one(other);
    const comments = [
      comment('x', 1, { parent: here.id.toUpperCase() }),
      comment('y', 2, { parent: 'elsewhere' }),
      comment('z', 3, { parent: 'z' }),
    ];
    assert.deepEqual((await one({ ...post, comments })).comments, { ...noneOf, created: 3 });
    assert.deepEqual(await treeOf(post.slug), [['Body of y'], ['Body of z'], [here.body, ['Body of x']]]);
    assert.deepEqual(await blog.drift(), []);
  });

  test('keep their ids, which may be all that they are known by', async () => {
    const id = '0198C7A0-0000-7000-8000-0000000000CC';
    const byId = (more: object = {}) => ({ ...comment('', 1), source: undefined, id, ...more });
    const clean = (value: object) => JSON.parse(JSON.stringify(value)) as object;
    const post = withComments([clean(byId()), comment('r', 2, { parent: id })]);
    assert.deepEqual((await one(post)).comments, { ...noneOf, created: 2 });
    const [top] = (await blog.list(post.slug)).data;
    assert.deepEqual([top?.id, top?.replies[0]?.parentId], [id.toLowerCase(), id.toLowerCase()]);
    assert.deepEqual((await one(post)).comments, { ...noneOf, unchanged: 2 });
    const stolen = await one(withComments([clean(byId())]));
    const reason = 'their id is that of a comment of another post';
    assert.deepEqual(stolen.comments, { ...noneOf, skipped: 1, reason });
    assert.deepEqual(await blog.drift(), []);
  });

  test('are by a writer of the e-mail, else by one of that name who cannot sign in', async () => {
    const user = { name: 'Ann of here', email: 'ann@example.com', passwordHash: 'none' };
    await run((trx) => createUser(trx, { ...user, blogRole: 'AUTHOR' }, env()));
    await run((trx) => createUser(trx, { ...user, name: 'Reader', email: 'reader@example.com' }, env()));
    const post = withComments([
      comment('a', 1, { author: 'Ann', authorEmail: ' Ann@Example.com' }),
      comment('b', 2, { author: 'Not you', authorEmail: 'reader@example.com' }),
    ]);
    await one(post);
    const names = (await blog.list(post.slug)).data.map((c) => c.author?.name);
    assert.deepEqual(names, ['Ann of here', 'Not you']);
  });

  test('are counted by a dry run, which leaves nothing', async () => {
    const post = withComments(thread);
    counted.length = 0;
    assert.deepEqual((await one(post, true)).comments, { ...noneOf, created: 6 });
    await one({ ...post, comments: [] });
    assert.deepEqual((await one(post, true)).comments, { ...noneOf, created: 6 });
    assert.deepEqual([await treeOf(post.slug), counted], [[], []]);
    assert.deepEqual(await blog.drift(), []);
  });

  test('stay out with their post', async () => {
    const none = { ...noneOf, skipped: 1, reason: 'their post was not imported' };
    const failed = await one(withComments([comment('a', 1)], { category: undefined }));
    assert.deepEqual([failed.outcome, failed.comments], ['failed', none]);
    const gone = withComments([comment('a', 1)]);
    const { postId } = await one(gone);
    const elsewhere = await one({ ...gone, source: 'another', id: postId });
    assert.deepEqual([elsewhere.outcome, elsewhere.comments], ['skipped', none]);
    await run((trx) => deletePost(trx, { writer: editor, id: postId ?? '' }, env()));
    assert.deepEqual((await one(gone)).comments, none);
    const { rows } = await sql`select 1 from comment_imports i left join posts p on p.id = i.post_id
                               where p.id is null`.execute(db);
    assert.deepEqual(rows, []);
  });

  test('that do not fit fail the item, naming the field', () => {
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ body: ' ' }, /^comments\.0\.body must not be empty/],
      [{ body: 'a\0' }, /^comments\.0\.body /],
      [{ body: 'x'.repeat(4001) }, /^comments\.0\.body /],
      [{ author: undefined }, /^comments\.0\.author is needed/],
      [{ author: 'a\ud800' }, /^comments\.0\.author /],
      [{ source: undefined }, /^comments\.0\.source is needed/],
      [{ id: 'x' }, /^comments\.0\.id /],
      [{ status: 'SPAM' }, /^comments\.0\.status /],
      [{ status: 'DELETED' }, /^comments\.0\.status /],
      [{ createdAt: '0001-01-01T00:00:00Z' }, /^comments\.0\.createdAt /],
    ];
    for (const [more, says] of cases) {
      const given = Object.fromEntries(
        Object.entries({ ...comment('a', 1), ...more }).filter(([, v]) => v !== undefined),
      );
      const read = readItem(withComments([given]));
      assert.match('reason' in read ? read.reason : 'fits', says);
    }
  });

  test('nest as deeply as those that are written here, and no deeper', async () => {
    const deep = Array.from({ length: 40 }, (_, i) => comment(`${i}`, 1, i === 0 ? {} : { parent: `${i - 1}` }));
    const post = withComments(deep);
    assert.deepEqual((await one(post)).comments, { ...noneOf, created: 40 });
    const { rows } = await sql<{ deepest: number; roots: number }>`
      select max(cardinality(path))::integer as deepest, count(distinct root_id)::integer as roots
      from comments c join posts p on p.id = c.post_id where p.slug = ${post.slug}`.execute(db);
    assert.deepEqual(rows, [{ deepest: 29, roots: 1 }]);
    assert.deepEqual(await blog.drift(), []);
  });
});
