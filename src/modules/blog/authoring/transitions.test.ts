import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { checkPost } from '../checks/check-post.ts';
import { BlogFixture, code, COMPLETE } from '../fixtures.ts';
import { createPreviewLink } from '../preview/create-preview-link.ts';
import { endPreviewLinks } from '../preview/end-preview-links.ts';
import { diffRevision } from '../revisions/diff-revision.ts';
import { listRevisions } from '../revisions/list-revisions.ts';
import { restoreRevision } from '../revisions/restore-revision.ts';
import { type PostState, STATES, type Writer } from '../rules.ts';
import type { ManagedPost } from '../schemas.ts';
import { createCipher } from '../../../lib/cipher.ts';
import { deletePost } from './delete-post.ts';
import { getManagedPost } from './get-managed-post.ts';
import { publishPost } from './publish-post.ts';
import { unpublishPost } from './unpublish-post.ts';
import { updatePost } from './update-post.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env, db } = blog;
const author = await blog.writer('Ann', 'AUTHOR');
const other = await blog.writer('Bob', 'AUTHOR');
const editor = await blog.writer('Eve', 'EDITOR');
const WRITERS = { author, other, editor };
const FUTURE = '2027-01-01T00:00:00.000Z';
const PAST = '2013-06-04T21:37:25.000Z';
const cipher = createCipher(Buffer.alloc(32));

/** Ann's post in a state, with one revision. */
async function postIn(state: PostState): Promise<ManagedPost> {
  const { id } = await blog.draft(author, { ...COMPLETE, title: 'Before' });
  const draft = await run((trx) => updatePost(trx, { writer: author, id, fields: COMPLETE }, env()));
  if (state === 'DRAFT') return draft;
  const at = state === 'SCHEDULED' ? FUTURE : undefined;
  const post = await run((trx) => publishPost(trx, { writer: author, id, at }, env()));
  blog.clock.advance(1000);
  return state === 'ARCHIVED' ? run((trx) => unpublishPost(trx, { writer: author, id }, env())) : post;
}

type On = { writer: Writer; id: string; ifMatch?: string };
const ACTIONS = {
  publish: (on: On) => run((trx) => publishPost(trx, on, env())),
  'publish at a time to come': (on: On) => run((trx) => publishPost(trx, { ...on, at: FUTURE }, env())),
  'publish at a time gone by': (on: On) => run((trx) => publishPost(trx, { ...on, at: PAST }, env())),
  unpublish: (on: On) => run((trx) => unpublishPost(trx, on, env())),
  edit: (on: On) => run((trx) => updatePost(trx, { ...on, fields: { tags: ['new'] } }, env())),
  restore: (on: On) => run((trx) => restoreRevision(trx, { ...on, number: 1 }, env())),
  read: (on: On) => getManagedPost(db, on, env()),
  check: (on: On) => checkPost(db, on),
  'list revisions': (on: On) => listRevisions(db, { ...on, query: { page: 1, limit: 1 } }),
  'compare a revision': (on: On) => diffRevision(db, { ...on, number: 1 }),
  'make a preview link': (on: On) =>
    run((trx) =>
      createPreviewLink(trx, { ...on, expiresInSeconds: 60, baseUrl: '', hasSite: true }, { ...env(), cipher }),
    ),
  'end preview links': (on: On) => run((trx) => endPreviewLinks(trx, on)),
  delete: (on: On) => run((trx) => deletePost(trx, on, env())),
};
type Action = keyof typeof ACTIONS;

/** A state that follows; `=`: the same, and nothing changes; GONE; or the code of a refusal. */
type Outcome = PostState | '=' | 'GONE' | 'INVALID_STATE' | 'FORBIDDEN';
const SAME = { DRAFT: '=', SCHEDULED: '=', PUBLISHED: '=', ARCHIVED: '=' } as const;
const EDITED = { DRAFT: 'DRAFT', SCHEDULED: 'SCHEDULED', PUBLISHED: 'PUBLISHED', ARCHIVED: 'ARCHIVED' } as const;

/** The state table of the contract; another author meets 404 everywhere. */
const TABLE: Record<Action, Record<PostState, Outcome>> = {
  publish: { DRAFT: 'PUBLISHED', SCHEDULED: 'PUBLISHED', PUBLISHED: '=', ARCHIVED: 'PUBLISHED' },
  'publish at a time to come': {
    DRAFT: 'SCHEDULED',
    SCHEDULED: 'SCHEDULED',
    PUBLISHED: 'INVALID_STATE',
    ARCHIVED: 'SCHEDULED',
  },
  'publish at a time gone by': {
    DRAFT: 'PUBLISHED',
    SCHEDULED: 'PUBLISHED',
    PUBLISHED: 'INVALID_STATE',
    ARCHIVED: 'PUBLISHED',
  },
  unpublish: { DRAFT: '=', SCHEDULED: 'DRAFT', PUBLISHED: 'ARCHIVED', ARCHIVED: 'DRAFT' },
  edit: EDITED,
  restore: EDITED,
  read: SAME,
  check: SAME,
  'list revisions': SAME,
  'compare a revision': SAME,
  'make a preview link': SAME,
  'end preview links': SAME,
  delete: { DRAFT: 'GONE', SCHEDULED: 'FORBIDDEN', PUBLISHED: 'FORBIDDEN', ARCHIVED: 'FORBIDDEN' },
};

function expectedOf(action: Action, state: PostState, who: keyof typeof WRITERS): Outcome | 'NOT_FOUND' {
  if (who === 'other') return 'NOT_FOUND';
  const outcome = TABLE[action][state];
  return who === 'editor' && outcome === 'FORBIDDEN' ? 'GONE' : outcome;
}

/** What the date of publication is after a change of state. */
const PUBLISHED_AT: Record<string, (before: ManagedPost) => string | null> = {
  publish: (before) => (before.status === 'ARCHIVED' ? before.publishedAt : env().now.toISOString()),
  'publish at a time to come': () => FUTURE,
  'publish at a time gone by': () => PAST,
  unpublish: (before) => (before.status === 'PUBLISHED' ? before.publishedAt : null),
};

async function checkCell(action: Action, state: PostState, who: keyof typeof WRITERS): Promise<void> {
  const before = await postIn(state);
  const now = () => getManagedPost(db, { writer: editor, id: before.id }, env());
  const expected = expectedOf(action, state, who);
  const act = ACTIONS[action]({ writer: WRITERS[who], id: before.id });
  if (expected === 'NOT_FOUND' || expected === 'INVALID_STATE' || expected === 'FORBIDDEN') {
    await assert.rejects(act, code(expected));
    return assert.deepEqual(await now(), before, 'nothing changed');
  }
  await act;
  if (expected === 'GONE') return assert.rejects(now(), code('NOT_FOUND'));
  const after = await now();
  if (expected === '=') return assert.deepEqual(after, before);
  assert.deepEqual([after.status, after.version], [expected, before.version + 1]);
  const content = action === 'edit' || action === 'restore';
  assert.equal(after.updatedAt, content ? env().now.toISOString() : before.updatedAt, 'of content only');
  assert.equal(after.changedAt, env().now.toISOString(), 'of content or state');
  assert.equal(after.publishedAt, PUBLISHED_AT[action]?.(before) ?? (content ? before.publishedAt : null));
}

describe('state table', () => {
  for (const action of Object.keys(ACTIONS) as Action[]) {
    for (const state of STATES) {
      for (const who of Object.keys(WRITERS) as (keyof typeof WRITERS)[]) {
        const by = who === 'author' ? 'its author' : who === 'other' ? 'another author' : 'an editor';
        test(`${state}, ${action} by ${by}: ${expectedOf(action, state, who)}`, () => checkCell(action, state, who));
      }
    }
  }
});

test('a stale If-Match refuses every change, but does not tell another author that the post is there', async () => {
  for (const action of ['publish', 'publish at a time to come', 'unpublish', 'edit', 'restore', 'delete'] as const) {
    const { id, version } = await postIn('DRAFT');
    const ifMatch = `"${version - 1}"`;
    const stale = { code: 'PRECONDITION_FAILED', currentVersion: version, headers: { etag: `"${version}"` } };
    await assert.rejects(ACTIONS[action]({ writer: editor, id, ifMatch }), stale, action);
    await assert.rejects(ACTIONS[action]({ writer: other, id, ifMatch }), code('NOT_FOUND'));
    await ACTIONS[action]({ writer: editor, id, ifMatch: `"${version}"` });
  }
});

test('a post that was never there is not found', async () => {
  const on = { writer: editor, id: '01890000-0000-7000-8000-000000000000' };
  for (const act of Object.values(ACTIONS)) await assert.rejects(act(on), code('NOT_FOUND'));
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
