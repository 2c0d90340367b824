import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture, code, COMPLETE } from '../fixtures.ts';
import { type PostState, STATES } from '../rules.ts';
import type { ManagedPost } from '../schemas.ts';
import { deletePost } from './delete-post.ts';
import { getManagedPost } from './get-managed-post.ts';
import { publishPost } from './publish-post.ts';
import { unpublishPost } from './unpublish-post.ts';
import { updatePost } from './update-post.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env } = blog;
const author = await blog.writer('Ann', 'AUTHOR');
const other = await blog.writer('Bob', 'AUTHOR');
const editor = await blog.writer('Eve', 'EDITOR');
const FUTURE = '2027-01-01T00:00:00.000Z';

/** Ann's post in a state. */
async function postIn(state: PostState): Promise<ManagedPost> {
  if (state === 'DRAFT') return blog.draft(author);
  const post = await blog.published(author, {}, state === 'SCHEDULED' ? FUTURE : undefined);
  blog.clock.advance(1000);
  return state === 'ARCHIVED' ? run((trx) => unpublishPost(trx, { writer: author, id: post.id }, env())) : post;
}

const ACTIONS = {
  publish: (input: Parameters<typeof publishPost>[1]) => run((trx) => publishPost(trx, input, env())),
  publishAt: (input: Parameters<typeof publishPost>[1]) =>
    run((trx) => publishPost(trx, { ...input, at: FUTURE }, env())),
  unpublish: (input: Parameters<typeof publishPost>[1]) => run((trx) => unpublishPost(trx, input, env())),
};

const EXPECTED: Record<keyof typeof ACTIONS, Record<PostState, PostState | 'INVALID_STATE'>> = {
  publish: { DRAFT: 'PUBLISHED', SCHEDULED: 'PUBLISHED', PUBLISHED: 'PUBLISHED', ARCHIVED: 'PUBLISHED' },
  publishAt: { DRAFT: 'SCHEDULED', SCHEDULED: 'SCHEDULED', PUBLISHED: 'INVALID_STATE', ARCHIVED: 'SCHEDULED' },
  unpublish: { DRAFT: 'DRAFT', SCHEDULED: 'DRAFT', PUBLISHED: 'ARCHIVED', ARCHIVED: 'DRAFT' },
};
const UNCHANGED = new Set(['publish PUBLISHED', 'unpublish DRAFT']);

describe('publish and unpublish', () => {
  for (const action of Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]) {
    for (const state of STATES) {
      for (const [who, writer] of Object.entries({ author, editor })) {
        const expected = EXPECTED[action][state];
        test(`${state}, ${action} by ${who}: ${expected}`, async () => {
          const before = await postIn(state);
          const act = ACTIONS[action]({ writer, id: before.id });
          if (expected === 'INVALID_STATE') return assert.rejects(act, code(expected));
          const after = await act;
          assert.equal(after.status, expected);
          assert.equal(after.version, before.version + (UNCHANGED.has(`${action} ${state}`) ? 0 : 1));
          assert.equal(after.updatedAt, before.updatedAt, 'the content did not change');
          assert.deepEqual(await getManagedPost(blog.db, { writer, id: before.id }, env()), after);
        });
      }
    }
  }

  test('publishing an archived post keeps its first date', async () => {
    const before = await postIn('ARCHIVED');
    blog.clock.advance(3600_000);
    const after = await ACTIONS.publish({ writer: author, id: before.id });
    assert.notEqual(before.publishedAt, null);
    assert.equal(after.publishedAt, before.publishedAt);
  });

  test('a date in the past publishes with that date', async () => {
    const { id } = await blog.draft(author);
    const at = '2013-06-04T21:37:25.000Z';
    const after = await run((trx) => publishPost(trx, { writer: author, id, at }, env()));
    assert.deepEqual([after.status, after.publishedAt], ['PUBLISHED', at]);
  });
});

describe('delete', () => {
  for (const state of STATES) {
    test(`${state}: editor any, author ${state === 'DRAFT' ? 'own' : 'not'}`, async () => {
      const first = await postIn(state);
      const del = run((trx) => deletePost(trx, { writer: author, id: first.id }, env()));
      if (state === 'DRAFT') await del;
      else await assert.rejects(del, code('FORBIDDEN'));
      const second = await postIn(state);
      await run((trx) => deletePost(trx, { writer: editor, id: second.id }, env()));
      await assert.rejects(getManagedPost(blog.db, { writer: editor, id: second.id }, env()), code('NOT_FOUND'));
    });
  }
});

describe('to another author, a post does not exist, nor does one that was never there', () => {
  const missing = '01890000-0000-7000-8000-000000000000';
  for (const state of STATES) {
    test(state, async () => {
      const { id } = await postIn(state);
      for (const on of [
        { writer: other, id, ifMatch: '"99"' },
        { writer: editor, id: missing },
      ]) {
        const attempts = [
          () => getManagedPost(blog.db, on, env()),
          () => run((trx) => updatePost(trx, { ...on, fields: { title: 'x' } }, env())),
          ...Object.values(ACTIONS).map((act) => () => act(on)),
          () => run((trx) => deletePost(trx, on, env())),
        ];
        for (const attempt of attempts) await assert.rejects(attempt, code('NOT_FOUND'));
      }
    });
  }
});

test('publishing names each field that is missing', async () => {
  const missingOf = async (fields: Partial<typeof COMPLETE>) => {
    const { id } = await blog.draft(author, fields);
    const error = await ACTIONS.publish({ writer: author, id }).catch(
      (e: unknown) => e as { details: { path: string }[] },
    );
    return 'details' in error ? error.details.map((d) => d.path) : [];
  };
  assert.deepEqual(await missingOf({}), ['title', 'slug', 'body', 'category']);
  assert.deepEqual(await missingOf({ title: 'T' }), ['body', 'category']);
  assert.deepEqual(await missingOf({ body: 'b', category: 'c' }), ['title', 'slug']);
  assert.deepEqual(await missingOf(COMPLETE), []);
});
