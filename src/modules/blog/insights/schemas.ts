import { Type } from 'typebox';
import { DateTime, Nullable, Uuid, windowProperties } from '../../../platform/http/index.ts';

/** Views and shares are stored by day. */
export const BLOG_BUCKETS = ['day', 'week', 'month'] as const;

const Engagement = {
  views: Type.Integer(),
  likes: Type.Integer({ description: 'That were not taken back.' }),
  comments: Type.Integer({ description: 'That are visible.' }),
  shares: Type.Integer(),
};
const Counts = {
  ...Engagement,
  published: Type.Integer({ description: 'Posts that became public, and are.' }),
};

export const BlogInsightsSchema = Type.Object(
  {
    ...windowProperties(BLOG_BUCKETS),
    ...Counts,
    topPosts: Type.Array(
      Type.Object({
        id: Uuid,
        slug: Nullable(Type.String()),
        title: Nullable(Type.String()),
        publishedAt: Nullable(DateTime),
        ...Engagement,
      }),
      { description: 'Most first, by `top`.' },
    ),
    data: Type.Array(Type.Object({ start: DateTime, ...Counts }), {
      description: 'Every bucket in order, also without readers. The first and the last may be cut by the window.',
    }),
  },
  { title: 'BlogInsights' },
);
