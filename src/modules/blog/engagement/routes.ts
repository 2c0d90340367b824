import { Type } from 'typebox';
import { type AnyRoute, batch } from '../../../platform/http/index.ts';
import { SlugParams } from '../schemas.ts';
import type { EngageDeps } from './engage.ts';
import { likePost } from './like-post.ts';
import { sharePost } from './share-post.ts';
import { unlikePost } from './unlike-post.ts';
import { viewPost } from './view-post.ts';

const tag = 'Blog';
const errors = ['NOT_FOUND'] as const;
const moved = 'An address that the post had before does the same.';

const LikeReply = Type.Object({ liked: Type.Boolean(), likeCount: Type.Integer() });
const ViewReply = Type.Object({ viewCount: Type.Integer() });
const ShareReply = Type.Object({ shareCount: Type.Integer() });

const ShareBody = Type.Object(
  {
    channel: Type.String({
      minLength: 1,
      maxLength: 40,
      pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
      description: 'Where to: `email`, `mastodon`, `copy-link`. Lower-case letters, digits and single dashes.',
    }),
  },
  { additionalProperties: false },
);

export const engagementRoutes = (deps: EngageDeps): AnyRoute[] => [
  batch({
    method: 'PUT',
    path: '/v1/blog/posts/{slug}/like',
    access: 'session',
    operationId: 'likePost',
    tag,
    summary: 'Like a post',
    description: `Liking again changes nothing. ${moved}`,
    errors,
    schemas: { params: SlugParams, replies: { 200: LikeReply } },
    handle: (_db, { params, caller, env }, claim) =>
      likePost(deps, { slug: params.slug, userId: caller.userId }, { env, claim }),
  }),
  batch({
    method: 'DELETE',
    path: '/v1/blog/posts/{slug}/like',
    access: 'session',
    operationId: 'unlikePost',
    tag,
    summary: 'Take a like back',
    description: `Without a like, nothing changes. ${moved}`,
    errors,
    schemas: { params: SlugParams, replies: { 200: LikeReply } },
    handle: (_db, { params, caller, env }, claim) =>
      unlikePost(deps, { slug: params.slug, userId: caller.userId }, { env, claim }),
  }),
  batch({
    method: 'POST',
    path: '/v1/blog/posts/{slug}/view',
    access: { key: 'blog:read' },
    operationId: 'viewPost',
    tag,
    summary: 'Count a read of a post',
    description: `Counted once per post and \`Idempotency-Key\`, which stands for the visit. ${moved}`,
    errors,
    resourceOf: ({ slug }) => deps.visited(slug),
    schemas: { params: SlugParams, replies: { 200: ViewReply } },
    handle: (_db, { params, env }, claim) => viewPost(deps, { slug: params.slug }, { env, claim }),
  }),
  batch({
    method: 'POST',
    path: '/v1/blog/posts/{slug}/share',
    access: { key: 'blog:read' },
    operationId: 'sharePost',
    tag,
    summary: 'Count that a post was passed on',
    description: moved,
    errors,
    schemas: { params: SlugParams, body: ShareBody, replies: { 200: ShareReply } },
    handle: (_db, { params, body, env }, claim) =>
      sharePost(deps, { slug: params.slug, channel: body.channel }, { env, claim }),
  }),
];
