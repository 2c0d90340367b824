import { Type } from 'typebox';
import { type AnyRoute, IdParams, read } from '../../../platform/http/index.ts';
import { onPost } from '../authoring/input.ts';
import { checkPost } from './check-post.ts';
import { PROBLEM_CODES, SEVERITIES } from './problems.ts';

const CheckedPost = Type.Object({
  ready: Type.Boolean({ description: 'No problem is an ERROR: publishing would not refuse the post.' }),
  problems: Type.Array(
    Type.Object({
      code: Type.Enum([...PROBLEM_CODES]),
      severity: Type.Enum([...SEVERITIES]),
      message: Type.String(),
      path: Type.String({ description: 'Name of the field.' }),
      line: Type.Optional(Type.Integer({ description: 'Line in the body, from 1.' })),
    }),
  ),
});

export const checkRoutes: readonly AnyRoute[] = [
  read({
    method: 'GET',
    path: '/v1/blog/manage/posts/{id}/checks',
    access: 'writer',
    operationId: 'checkPost',
    tag: 'Blog authoring',
    summary: 'What to mend before publishing',
    description: 'Errors are what publishing refuses; warnings what readers and search engines will notice.',
    errors: ['NOT_FOUND'],
    schemas: { params: IdParams, replies: { 200: CheckedPost } },
    handle: async (db, input) => ({
      status: 200,
      body: await checkPost(db, onPost(input)),
      headers: { 'cache-control': 'private, no-cache', vary: 'Authorization' },
    }),
  }),
];
