import { type AnyRoute, IdParams, pageOf, read, write } from '../../../platform/http/index.ts';
import { onPost, replyWith, writerOf } from '../authoring/input.ts';
import { ManagedPost } from '../schemas.ts';
import { diffRevision } from './diff-revision.ts';
import { getRevision } from './get-revision.ts';
import { listRevisions } from './list-revisions.ts';
import { restoreRevision } from './restore-revision.ts';
import {
  DiffQuery,
  ListRevisionsQuery,
  RevisionDetail,
  RevisionDiff,
  RevisionParams,
  RevisionSummary,
} from './schemas.ts';

const tag = 'Blog authoring';
const access = 'writer';
const path = '/v1/blog/manage/posts/{id}/revisions';
const headers = { 'cache-control': 'private, no-cache', vary: 'Authorization' };

export const revisionRoutes: readonly AnyRoute[] = [
  read({
    method: 'GET',
    path,
    access,
    operationId: 'listRevisions',
    tag,
    summary: 'Former contents of a post',
    description: 'Latest first; the last 50 are kept. Items are without content.',
    errors: ['NOT_FOUND'],
    schemas: { params: IdParams, query: ListRevisionsQuery, replies: { 200: pageOf(RevisionSummary) } },
    handle: async (db, input) => ({
      status: 200,
      body: await listRevisions(db, { ...onPost(input), query: input.query }),
      headers,
    }),
  }),
  read({
    method: 'GET',
    path: `${path}/{number}`,
    access,
    operationId: 'getRevision',
    tag,
    summary: 'A former content, or the present one, in full',
    errors: ['NOT_FOUND'],
    schemas: { params: RevisionParams, replies: { 200: RevisionDetail } },
    handle: async (db, { params, caller, env }) => ({
      status: 200,
      body: await getRevision(db, { ...params, writer: writerOf(caller) }, env),
      headers,
    }),
  }),
  read({
    method: 'GET',
    path: `${path}/{number}/diff`,
    access,
    operationId: 'diffRevision',
    tag,
    summary: 'What changed since a former content',
    description: 'Line by line, up to the present content or to that of another version.',
    errors: ['NOT_FOUND'],
    schemas: { params: RevisionParams, query: DiffQuery, replies: { 200: RevisionDiff } },
    handle: async (db, { params, query, caller }) => ({
      status: 200,
      body: await diffRevision(db, { ...params, writer: writerOf(caller), against: query.against }),
      headers,
    }),
  }),
  write({
    method: 'POST',
    path: `${path}/{number}/restore`,
    access,
    operationId: 'restoreRevision',
    tag,
    summary: 'Make a former content the present one',
    description:
      'A new version of the post; what it had becomes a revision. The present version changes nothing. The slug comes back unless another post has it now. With `If-Match: "<version>"` it is refused (412) when somebody else changed the post before.',
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    etag: true,
    schemas: { params: RevisionParams, replies: { 200: ManagedPost } },
    handle: async (trx, input) =>
      replyWith(200, await restoreRevision(trx, { ...onPost(input), number: input.params.number }, input.env)),
  }),
];
