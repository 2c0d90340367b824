import { Type } from 'typebox';
import { type AnyRoute, pageOf, read } from '../../../platform/http/index.ts';
import { ListPostsQuery, PostDetail, PostIndex, PostSummary, SlugParams, Sort, Taxonomy } from '../schemas.ts';
import { getIndex } from './get-index.ts';
import { getPost } from './get-post.ts';
import { getTaxonomy } from './get-taxonomy.ts';
import { listPosts } from './list-posts.ts';
import { publicReply } from './public-reply.ts';

const tag = 'Blog';
const access = { key: 'blog:read' } as const;
const conditional = 'The reply has a strong `ETag`; with `If-None-Match` an unchanged one is 304.';

export const readingRoutes: readonly AnyRoute[] = [
  read({
    method: 'GET',
    path: '/v1/blog/posts',
    access,
    operationId: 'listPosts',
    tag,
    summary: 'Public posts, page by page',
    description: conditional,
    schemas: { query: ListPostsQuery, replies: { 200: pageOf(PostSummary, { sort: Sort }), 304: null } },
    handle: async (db, { query, env, headers }) => publicReply(headers, await listPosts(db, query, env)),
  }),
  read({
    method: 'GET',
    path: '/v1/blog/posts/{slug}',
    access,
    operationId: 'getPost',
    tag,
    summary: 'A public post',
    description: `An address that the post had before is 301 with \`Location\`. ${conditional}`,
    errors: ['NOT_FOUND', 'POST_MOVED'],
    schemas: { params: SlugParams, replies: { 200: PostDetail, 304: null } },
    handle: async (db, { params, caller, env, headers }) => {
      const userId = caller.kind === 'session' ? caller.userId : null;
      return publicReply(headers, await getPost(db, { slug: params.slug, userId }, env));
    },
  }),
  read({
    method: 'GET',
    path: '/v1/blog/index',
    access,
    operationId: 'getIndex',
    tag,
    summary: 'Address and dates of every public post',
    description: `Newest first. ${conditional}`,
    schemas: { query: Type.Object({}), replies: { 200: PostIndex, 304: null } },
    handle: async (db, { env, headers }) => publicReply(headers, await getIndex(db, env)),
  }),
  read({
    method: 'GET',
    path: '/v1/blog/taxonomy',
    access,
    operationId: 'getTaxonomy',
    tag,
    summary: 'Categories and tags with their counts',
    description: conditional,
    schemas: { query: Type.Object({}), replies: { 200: Taxonomy, 304: null } },
    handle: async (db, { env, headers }) => publicReply(headers, await getTaxonomy(db, env)),
  }),
];
