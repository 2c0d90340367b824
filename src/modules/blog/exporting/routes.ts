import { Readable } from 'node:stream';
import { Type, type TSchema } from 'typebox';
import { AppError } from '../../../contracts/errors.ts';
import type { Db } from '../../../platform/db/index.ts';
import { type AnyRoute, read, Uuid } from '../../../platform/http/index.ts';
import { writerOf } from '../authoring/routes.ts';
import { ExportedPost, exportPosts } from './export-posts.ts';

/** How a declared reply says that it is no JSON document but one in each line. */
const NDJSON = { content: { 'application/x-ndjson': { schema: ExportedPost } } } as unknown as TSchema;

const ExportQuery = Type.Object({
  after: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Only posts after the one of this id.' })),
});

async function* lines(db: Db, after: string | undefined): AsyncGenerator<string> {
  for await (const post of exportPosts(db, after)) yield `${JSON.stringify(post)}\n`;
}

export const exportingRoutes: readonly AnyRoute[] = [
  read({
    method: 'GET',
    path: '/v1/blog/manage/export',
    access: 'writer',
    operationId: 'exportPosts',
    tag: 'Blog authoring',
    summary: 'Every post with all its fields, as NDJSON',
    description:
      'For editors. One JSON object in each line, in order of id. A post that exists from beginning to end comes exactly once. After a broken connection go on with `after`, the id of the last whole line.',
    schemas: { query: ExportQuery, replies: { 200: NDJSON } },
    handle: async (db, { caller, query }) => {
      if (writerOf(caller).role !== 'EDITOR') {
        throw new AppError('FORBIDDEN', { message: 'Only an editor may export.' });
      }
      return {
        status: 200,
        body: Readable.from(lines(db, query.after), { highWaterMark: 1 }),
        headers: {
          'content-type': 'application/x-ndjson',
          'content-disposition': 'attachment; filename="posthorn-posts.ndjson"',
          'cache-control': 'private, no-store',
        },
      };
    },
  }),
];
