import { Type } from 'typebox';
import { readMuch, type Reads } from '../../../platform/db/index.ts';
import { type AnyRoute, read, Uuid, windowOf, windowQuery } from '../../../platform/http/index.ts';
import { getBlogInsights, visiblePosts } from './get-blog-insights.ts';
import { BLOG_BUCKETS, BlogInsightsSchema } from './schemas.ts';
import { ENGAGEMENTS } from './store.ts';

export const insightRoutes = (reads: Reads): readonly AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/insights/blog',
    // Writers, operators and keys with scope `admin`: visiblePosts.
    access: 'any',
    operationId: 'getBlogInsights',
    tag: 'Insights',
    summary: 'What readers did with posts, and what was published',
    description:
      'Of own posts for an author, of all for editors, operators and keys with scope `admin`. Counted when it is asked for, by whole days in UTC: a part of a day is taken for all of it. What belonged to a deleted post is gone with it.',
    schemas: {
      query: Type.Object({
        ...windowQuery(BLOG_BUCKETS),
        postId: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Of this post only.' })),
        top: Type.Enum([...ENGAGEMENTS], { default: 'views', description: 'By what `topPosts` are chosen.' }),
        limit: Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'Length of `topPosts`.' }),
      }),
      replies: { 200: BlogInsightsSchema },
    },
    errors: ['FORBIDDEN', 'NOT_FOUND'],
    async handle(_db, { query, caller, env }) {
      const visible = visiblePosts(caller);
      const window = windowOf(query, { now: env.now, buckets: BLOG_BUCKETS, usual: 'day' });
      const input = { visible, postId: query.postId, window, top: { by: query.top, limit: query.limit } };
      return { status: 200, body: await readMuch(reads, (trx) => getBlogInsights(trx, input, env.now)) };
    },
  }),
];
