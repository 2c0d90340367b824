import { type AnyRoute, cursorPageOf, IdParams, pageOf, read, write } from '../../../platform/http/index.ts';
import { Type } from 'typebox';
import type { OnCounted } from '../comments/store.ts';
import { writerOf } from '../authoring/routes.ts';
import { getCommentSettings } from './get-comment-settings.ts';
import { getManagedComment } from './get-managed-comment.ts';
import { listManagedComments } from './list-managed-comments.ts';
import { listModerationLog } from './list-moderation-log.ts';
import { moderateComment } from './moderate-comment.ts';
import { moderateComments } from './moderate-comments.ts';
import {
  BulkDecision,
  BulkOutcome,
  CommentSettings,
  CommentSettingsChange,
  Decision,
  ListManagedCommentsQuery,
  ManagedComment,
  ManagedCommentDetail,
  ModerationEntry,
  ModerationLogQuery,
} from './schemas.ts';
import { updateCommentSettings } from './update-comment-settings.ts';

const tag = 'Blog moderation';
const access = 'writer';

/** What writers do with comments. */
export const moderationRoutes = (counted: OnCounted): readonly AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/blog/manage/comments',
    access,
    operationId: 'listManagedComments',
    tag,
    summary: 'Comments on own posts of an author, every comment for an editor',
    description: 'Newest first; without `status` both VISIBLE and HIDDEN ones.',
    schemas: { query: ListManagedCommentsQuery, replies: { 200: pageOf(ManagedComment) } },
    handle: async (db, { caller, query }) => ({
      status: 200,
      body: await listManagedComments(db, { writer: writerOf(caller), query }),
    }),
  }),
  write({
    method: 'POST',
    path: '/v1/blog/manage/comments/bulk',
    access,
    operationId: 'moderateComments',
    tag,
    summary: 'Show or hide up to 100 comments',
    schemas: { body: BulkDecision, replies: { 200: BulkOutcome } },
    handle: async (trx, { caller, body, env }) => ({
      status: 200,
      body: await moderateComments(trx, { ...body, writer: writerOf(caller) }, env, counted),
    }),
  }),
  read({
    method: 'GET',
    path: '/v1/blog/manage/comments/{id}',
    access,
    operationId: 'getManagedComment',
    tag,
    summary: 'A comment with its reports',
    errors: ['NOT_FOUND'],
    schemas: { params: IdParams, replies: { 200: ManagedCommentDetail } },
    handle: async (db, { caller, params }) => ({
      status: 200,
      body: await getManagedComment(db, { writer: writerOf(caller), id: params.id }),
    }),
  }),
  write({
    method: 'PATCH',
    path: '/v1/blog/manage/comments/{id}',
    access,
    operationId: 'moderateComment',
    tag,
    summary: 'Show or hide a comment',
    description:
      'Open reports of the comment and what a rule holds it for are dealt with by this, also when its status stays.',
    errors: ['NOT_FOUND'],
    schemas: { params: IdParams, body: Decision, replies: { 200: ManagedComment } },
    handle: async (trx, { caller, params, body, env }) => ({
      status: 200,
      body: await moderateComment(trx, { ...body, writer: writerOf(caller), id: params.id }, env, counted),
    }),
  }),
  read({
    method: 'GET',
    path: '/v1/blog/manage/moderation-log',
    access: 'editor',
    operationId: 'listModerationLog',
    tag,
    summary: 'What moderators and rules did to comments, for editors',
    description: 'Newest first. Never changed, and kept when comment and post are gone.',
    schemas: { query: ModerationLogQuery, replies: { 200: cursorPageOf(ModerationEntry) } },
    handle: async (db, { caller, query }) => ({
      status: 200,
      body: await listModerationLog(db, { writer: writerOf(caller), query }),
    }),
  }),
  read({
    method: 'GET',
    path: '/v1/blog/manage/comment-settings',
    access: 'editor',
    operationId: 'getCommentSettings',
    tag,
    summary: 'What holds new comments back, for editors',
    schemas: { query: Type.Object({}), replies: { 200: CommentSettings } },
    handle: async (db, { caller }) => ({
      status: 200,
      body: await getCommentSettings(db, { writer: writerOf(caller) }),
    }),
  }),
  write({
    method: 'PATCH',
    path: '/v1/blog/manage/comment-settings',
    access: 'editor',
    operationId: 'updateCommentSettings',
    tag,
    summary: 'Change the fields given, for editors',
    description: 'Acts on the next comment, on every node.',
    schemas: { body: CommentSettingsChange, replies: { 200: CommentSettings } },
    handle: async (trx, { caller, body, env }) => ({
      status: 200,
      body: await updateCommentSettings(trx, { writer: writerOf(caller), change: body }, env),
    }),
  }),
];
