import { type AnyRoute, IdParams, pageOf, read, write } from '../../../platform/http/index.ts';
import { Type } from 'typebox';
import { SlugParams } from '../schemas.ts';
import type { CommentReplies } from './comment-reply.ts';
import { type CommentDeps, createComment } from './create-comment.ts';
import { deleteComment } from './delete-comment.ts';
import { reportComment } from './report-comment.ts';
import {
  CommentSchema,
  CommentSort,
  ListCommentsQuery,
  ListRepliesQuery,
  NewCommentBody,
  ReportBody,
  Reported,
} from './schemas.ts';

const tag = 'Blog comments';
const access = 'session';
const key = { key: 'blog:read' } as const;
const named = [CommentSchema];
const Comment = Type.Ref('Comment');
const conditional = 'The reply has a strong `ETag`; with `If-None-Match` an unchanged one is 304.';
const moved = 'An address that the post had before is 301 with `Location`.';

/** What readers do with comments. */
export const commentRoutes = (deps: CommentDeps & { replies: CommentReplies }): readonly AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/blog/posts/{slug}/comments',
    access: key,
    operationId: 'listComments',
    tag,
    summary: 'Comments of a public post, page by page',
    description:
      `Pages are of top comments, each with its \`replies\` nested; a page shows up to 1 000 replies. Hidden and deleted ` +
      `comments are empty placeholders where visible replies need them. ${moved} ${conditional}`,
    errors: ['NOT_FOUND', 'POST_MOVED'],
    etag: true,
    named,
    schemas: {
      params: SlugParams,
      query: ListCommentsQuery,
      replies: { 200: pageOf(Comment, { sort: CommentSort }), 304: null },
    },
    handle: (_db, { params, query, headers }) => deps.replies.comments({ ...query, slug: params.slug }, headers),
  }),
  read({
    method: 'GET',
    path: '/v1/blog/comments/{id}/replies',
    access: key,
    operationId: 'listReplies',
    tag,
    summary: 'All visible replies in the thread of a top comment',
    description: `For threads with \`moreReplies\`: oldest first, not nested; \`parentId\` says what each answers. ${conditional}`,
    errors: ['NOT_FOUND'],
    etag: true,
    named,
    schemas: { params: IdParams, query: ListRepliesQuery, replies: { 200: pageOf(Comment), 304: null } },
    handle: (_db, { params, query, headers }) => deps.replies.replies({ ...query, id: params.id }, headers),
  }),
  write({
    method: 'POST',
    path: '/v1/blog/posts/{slug}/comments',
    access,
    operationId: 'createComment',
    tag,
    summary: 'Comment on a public post, or reply to a comment',
    description:
      'HIDDEN until a moderator shows it, where a rule holds it. An address that the post had before takes comments too.',
    errors: ['NOT_FOUND'],
    limit: 'comments',
    named,
    schemas: { params: SlugParams, body: NewCommentBody, replies: { 201: Comment } },
    handle: async (trx, { params, body, caller, env }) => {
      const author = { id: caller.userId, name: caller.name, blogRole: caller.blogRole };
      return { status: 201, body: await createComment(trx, { ...body, slug: params.slug, author }, env, deps) };
    },
  }),
  write({
    method: 'DELETE',
    path: '/v1/blog/comments/{id}',
    access,
    operationId: 'deleteComment',
    tag,
    summary: 'Remove an own comment',
    errors: ['NOT_FOUND'],
    schemas: { params: IdParams, replies: { 204: null } },
    handle: async (trx, { params, caller }) => {
      await deleteComment(trx, { id: params.id, userId: caller.userId }, deps.counted);
      return { status: 204 };
    },
  }),
  write({
    method: 'POST',
    path: '/v1/blog/comments/{id}/report',
    access,
    operationId: 'reportComment',
    tag,
    summary: 'Tell the moderators of a comment',
    description: 'Counts once per user and comment; again it changes nothing.',
    errors: ['NOT_FOUND'],
    schemas: { params: IdParams, body: ReportBody, replies: { 202: Reported } },
    handle: async (trx, { params, body, caller, env }) => {
      await reportComment(trx, { id: params.id, userId: caller.userId, reason: body.reason }, env, deps);
      return { status: 202, body: { reported: true } };
    },
  }),
];
