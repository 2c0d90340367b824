import { Type } from 'typebox';
import type { Reads } from '../../../platform/db/index.ts';
import { type AnyRoute, pageOf, read } from '../../../platform/http/index.ts';
import {
  IndexQuery,
  ListPostsQuery,
  PostDetail,
  PostIndex,
  PostSummary,
  SlugParams,
  Sort,
  Taxonomy,
} from '../schemas.ts';
import type { Built, ReadCache } from './cache/read-cache.ts';
import { getPost, personalOf } from './get-post.ts';
import { getTaxonomy } from './get-taxonomy.ts';
import { indexReply } from './index-reply.ts';
import { builtList, listPosts } from './list-posts.ts';
import { cachedReply } from './public-reply.ts';

const tag = 'Blog';
const access = { key: 'blog:read' } as const;
const conditional = 'The reply has a strong `ETag`; with `If-None-Match` an unchanged one is 304.';

const withoutPosts = (body: object): Built => ({ body, postIds: [] });

export interface ReadingDeps {
  cache: ReadCache;
  reads: Reads;
  /** Address of the service for the outside; undefined: not known. */
  publicUrl: string | undefined;
}

/** The public reads, from ready-made replies where there are some. */
export const readingRoutes = ({ cache, reads, publicUrl }: ReadingDeps): readonly AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/blog/posts',
    access,
    operationId: 'listPosts',
    tag,
    summary: 'Public posts, page by page',
    description: conditional,
    etag: true,
    schemas: { query: ListPostsQuery, replies: { 200: pageOf(PostSummary, { sort: Sort }), 304: null } },
    handle: async (_db, { query, caller, headers }) => {
      const build = async (now: Date): Promise<Built> => builtList(await reads((db) => listPosts(db, query, { now })));
      const reader = caller.kind === 'session' ? {} : undefined;
      const key = `list ${JSON.stringify(query)}`;
      return cachedReply(headers, await cache.get(key, build, reader), cache, key);
    },
  }),
  read({
    method: 'GET',
    path: '/v1/blog/posts/{slug}',
    access,
    operationId: 'getPost',
    tag,
    summary: 'A public post',
    description: `With its rendering and what its page's head needs. An address that the post had before is 301 with \`Location\`. ${conditional}`,
    etag: true,
    errors: ['NOT_FOUND', 'POST_MOVED'],
    schemas: { params: SlugParams, replies: { 200: PostDetail, 304: null } },
    handle: async (db, { params: { slug }, caller, headers }) => {
      const build = async (now: Date): Promise<Built> => {
        const body = await getPost(db, { slug, userId: null, publicUrl }, { now }, reads);
        return { body, postIds: [body.id, ...body.related.map((post) => post.id)] };
      };
      const reader =
        caller.kind === 'session' ? { personal: (id: string) => personalOf(db, id, caller.userId) } : undefined;
      const key = `post ${slug}`;
      return cachedReply(headers, await cache.get(key, build, reader), cache, key);
    },
  }),
  read({
    method: 'GET',
    path: '/v1/blog/index',
    access,
    operationId: 'getIndex',
    tag,
    summary: 'Address and dates of every public post',
    description: `Newest first. With \`since\`, what changed since then and what is public no more. ${conditional}`,
    etag: true,
    schemas: { query: IndexQuery, replies: { 200: PostIndex, 304: null } },
    handle: (_db, { query, headers, env }) => indexReply(reads, cache, { since: query.since, headers, env }),
  }),
  read({
    method: 'GET',
    path: '/v1/blog/taxonomy',
    access,
    operationId: 'getTaxonomy',
    tag,
    summary: 'Categories and tags with their counts',
    description: conditional,
    etag: true,
    schemas: { query: Type.Object({}), replies: { 200: Taxonomy, 304: null } },
    handle: async (_db, { headers }) => {
      const build = async (now: Date): Promise<Built> => withoutPosts(await reads((db) => getTaxonomy(db, { now })));
      return cachedReply(headers, await cache.get('taxonomy', build), cache, 'taxonomy');
    },
  }),
];
