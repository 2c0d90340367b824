import { Type } from 'typebox';
import { type AnyRoute, Nullable, Uuid, write } from '../../../platform/http/index.ts';
import { writerOf } from '../authoring/routes.ts';
import { type ImportDeps, importPosts } from './import-posts.ts';
import { ImportBody, Source } from './item.ts';

const ImportReport = Type.Object({
  data: Type.Array(
    Type.Object({
      source: Source,
      outcome: Type.Enum(['created', 'updated', 'unchanged', 'skipped', 'failed'], {
        description: 'Skipped: left alone on purpose. Failed: cannot be held as it is.',
      }),
      reason: Nullable(Type.String()),
      postId: Nullable(Uuid),
      slug: Nullable(Type.String()),
      notes: Type.Array(Type.String(), {
        description: 'What was left out of it, such as an old slug of another post.',
      }),
      comments: Nullable(
        Type.Object({
          created: Type.Integer(),
          unchanged: Type.Integer(),
          skipped: Type.Integer(),
          reason: Nullable(Type.String()),
        }),
      ),
    }),
  ),
});

export const importingRoutes = (deps: ImportDeps): readonly AnyRoute[] => [
  write({
    method: 'POST',
    path: '/v1/blog/manage/import',
    access: 'editor',
    operationId: 'importPosts',
    tag: 'Blog authoring',
    summary: 'Bring posts in from elsewhere, and again',
    description:
      'For editors. An item that is known by its `source` is updated when it changed there, and left alone when it was edited or deleted here, or is public here and not any more there. One bad item does not spoil the others.',
    schemas: { body: ImportBody, replies: { 200: ImportReport } },
    handle: async (trx, { caller, body, env }) => ({
      status: 200,
      body: {
        data: await importPosts(trx, { ...(body as ImportBody), writer: writerOf(caller) }, env, deps),
      },
    }),
  }),
];
