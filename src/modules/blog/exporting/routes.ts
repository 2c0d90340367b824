import { Readable } from 'node:stream';
import { type Static, Type, type TSchema } from 'typebox';
import type { Db } from '../../../platform/db/index.ts';
import { type AnyRoute, read, Uuid } from '../../../platform/http/index.ts';
import { ExportedComments } from './export-comments.ts';
import { ExportedPost, exportPosts, exportRecords } from './export-posts.ts';

/** How a declared reply says that it is no JSON document but one in each line. */
const NDJSON = {
  content: { 'application/x-ndjson': { schema: Type.Union([ExportedPost, ExportedComments]) } },
} as unknown as TSchema;

const ExportQuery = Type.Object({
  after: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Only posts after the one of this id.' })),
  comments: Type.Optional(Type.Boolean({ default: true, description: '`false`: posts only.' })),
});

async function* lines(db: Db, { after, comments }: Static<typeof ExportQuery>): AsyncGenerator<string> {
  const records = comments === false ? exportPosts : exportRecords;
  for await (const record of records(db, after)) yield `${JSON.stringify(record)}\n`;
}

export const exportingRoutes: readonly AnyRoute[] = [
  read({
    method: 'GET',
    path: '/v1/blog/manage/export',
    access: 'editor',
    operationId: 'exportPosts',
    tag: 'Blog authoring',
    summary: 'Every post with all its fields and comments, as NDJSON',
    description:
      'For editors. One JSON object in each line: a post, and behind it its comments, up to 200 in a line, a parent before its replies. Posts are in order of id. What exists from beginning to end comes exactly once. After a broken connection go on with `after`, the id of the last post that is followed by another.',
    schemas: { query: ExportQuery, replies: { 200: NDJSON } },
    handle: async (db, { query }) => ({
      status: 200,
      body: Readable.from(lines(db, query), { highWaterMark: 1 }),
      headers: {
        'content-type': 'application/x-ndjson',
        'content-disposition': 'attachment; filename="posthorn-posts.ndjson"',
        'cache-control': 'private, no-store',
      },
    }),
  }),
];
