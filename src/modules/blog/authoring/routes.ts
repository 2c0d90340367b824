import { Type } from 'typebox';
import { type AnyRoute, IdParams, pageOf, read, Uuid, write } from '../../../platform/http/index.ts';
import {
  ListManagedQuery,
  ManagedPost,
  ManagedSummary,
  PublishBody,
  StateCounts,
  UpdatePostQuery,
  WritablePost,
} from '../schemas.ts';
import { createPost } from './create-post.ts';
import { deletePost } from './delete-post.ts';
import { getBlogMe } from './get-blog-me.ts';
import { getManagedPost } from './get-managed-post.ts';
import { listManagedPosts } from './list-managed-posts.ts';
import { onPost, replyWith, writerOf } from './input.ts';
import { publishPost } from './publish-post.ts';
import { SlugQuery, suggestSlug, SuggestedSlug } from './suggest-slug.ts';
import { unpublishPost } from './unpublish-post.ts';
import { updatePost } from './update-post.ts';

export { writerOf };

const BlogMe = Type.Object({ id: Uuid, name: Type.String(), role: Type.Enum(['AUTHOR', 'EDITOR']) });

const tag = 'Blog authoring';
const access = 'writer';
const ifMatch = 'With `If-Match: "<version>"` the change is refused (412) when somebody else changed the post before.';

export const authoringRoutes: readonly AnyRoute[] = [
  read({
    method: 'GET',
    path: '/v1/blog/manage/me',
    access,
    operationId: 'getBlogMe',
    tag,
    summary: 'Who writes here: the caller and their blog role',
    schemas: { replies: { 200: BlogMe } },
    handle: async (_db, { caller }) => ({ status: 200, body: getBlogMe(caller) }),
  }),
  read({
    method: 'GET',
    path: '/v1/blog/manage/posts',
    access,
    operationId: 'listManagedPosts',
    tag,
    summary: 'Own posts of an author, every post for an editor',
    description:
      'Latest change first, unless `sort` says otherwise. Items are without `body`; `counts` are of all the posts that the caller manages.',
    schemas: { query: ListManagedQuery, replies: { 200: pageOf(ManagedSummary, { counts: StateCounts }) } },
    handle: async (db, { caller, query, env }) => ({
      status: 200,
      body: await listManagedPosts(db, { writer: writerOf(caller), query }, env),
    }),
  }),
  read({
    method: 'GET',
    path: '/v1/blog/manage/slug',
    access,
    operationId: 'suggestSlug',
    tag,
    summary: 'Whether a slug is free, and which one to take',
    description: 'Of `slug`, or else of the one that `title` would get. Nothing is reserved.',
    errors: ['NOT_FOUND'],
    schemas: { query: SlugQuery, replies: { 200: SuggestedSlug } },
    handle: async (db, { caller, query }) => ({
      status: 200,
      body: await suggestSlug(db, { writer: writerOf(caller), query }),
    }),
  }),
  write({
    method: 'POST',
    path: '/v1/blog/manage/posts',
    access,
    operationId: 'createPost',
    etag: true,
    tag,
    summary: 'Create a draft',
    description: 'Every field may be absent.',
    errors: ['SLUG_TAKEN'],
    schemas: { body: WritablePost, replies: { 201: ManagedPost } },
    handle: async (trx, { caller, body, env }) =>
      replyWith(201, await createPost(trx, { writer: writerOf(caller), fields: body }, env)),
  }),
  read({
    method: 'GET',
    path: '/v1/blog/manage/posts/{id}',
    access,
    operationId: 'getManagedPost',
    etag: true,
    tag,
    summary: 'A post in full, in whatever state',
    errors: ['NOT_FOUND'],
    schemas: { params: IdParams, replies: { 200: ManagedPost } },
    handle: async (db, input) => replyWith(200, await getManagedPost(db, onPost(input), input.env)),
  }),
  write({
    method: 'PATCH',
    path: '/v1/blog/manage/posts/{id}',
    access,
    operationId: 'updatePost',
    etag: true,
    tag,
    summary: 'Change the fields given',
    description: `What the post had before stays as a revision. ${ifMatch}`,
    errors: ['NOT_FOUND', 'SLUG_TAKEN', 'PRECONDITION_FAILED'],
    schemas: { params: IdParams, query: UpdatePostQuery, body: WritablePost, replies: { 200: ManagedPost } },
    handle: async (trx, input) => {
      const { body: fields, query } = input;
      return replyWith(200, await updatePost(trx, { ...onPost(input), fields, autosave: query.autosave }, input.env));
    },
  }),
  write({
    method: 'DELETE',
    path: '/v1/blog/manage/posts/{id}',
    access,
    operationId: 'deletePost',
    tag,
    summary: 'Remove a post with its likes and comments',
    description: `An editor any post, an author only own drafts. ${ifMatch}`,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    schemas: { params: IdParams, replies: { 204: null } },
    handle: async (trx, input) => {
      await deletePost(trx, onPost(input), input.env);
      return { status: 204 };
    },
  }),
  write({
    method: 'POST',
    path: '/v1/blog/manage/posts/{id}/publish',
    access,
    operationId: 'publishPost',
    etag: true,
    tag,
    summary: 'Publish now, or at a time',
    description: `Title, slug, body and category are needed. ${ifMatch}`,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
    schemas: { params: IdParams, body: PublishBody, replies: { 200: ManagedPost } },
    handle: async (trx, input) =>
      replyWith(200, await publishPost(trx, { ...onPost(input), at: input.body.at }, input.env)),
  }),
  write({
    method: 'POST',
    path: '/v1/blog/manage/posts/{id}/unpublish',
    access,
    operationId: 'unpublishPost',
    etag: true,
    tag,
    summary: 'Archive a public post; make a scheduled or archived one a draft',
    description: ifMatch,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    schemas: { params: IdParams, replies: { 200: ManagedPost } },
    handle: async (trx, input) => replyWith(200, await unpublishPost(trx, onPost(input), input.env)),
  }),
];
