import type { Module, Platform } from '../../platform/platform.ts';
import type { Publish } from '../events/index.ts';
import { authoringRoutes } from './authoring/routes.ts';
import { commentRoutes } from './comments/routes.ts';
import type { FindOrCreateAuthor } from './importing/import-posts.ts';
import { importingRoutes } from './importing/routes.ts';
import { moderationRoutes } from './moderation/routes.ts';
import { createReadCache } from './reading/cache/create-read-cache.ts';
import { checkRoutes } from './checks/routes.ts';
import { previewRoutes } from './preview/routes.ts';
import { revisionRoutes } from './revisions/routes.ts';
import { readingRoutes } from './reading/routes.ts';

export { createPost } from './authoring/create-post.ts';
export { publishPost } from './authoring/publish-post.ts';
export type { ImportItem } from './importing/item.ts';
export { importPosts } from './importing/import-posts.ts';
export { getPost } from './reading/get-post.ts';
export { listPosts } from './reading/list-posts.ts';
export type { Writer } from './rules.ts';

/** Functions of the accounts and events modules that the blog calls. */
export interface BlogDeps {
  findOrCreateAuthor: FindOrCreateAuthor;
  publish: Publish;
}

/** The blog: public reads, authoring, import. */
export function createBlog(platform: Platform, deps: BlogDeps): { module: Module } {
  const { cache, close } = createReadCache(platform);
  const { cipher, config } = platform;
  const counted = (postIds: readonly string[]): void => cache.counted(postIds);
  return {
    module: {
      name: 'blog',
      routes: [
        ...readingRoutes(cache),
        ...revisionRoutes,
        ...checkRoutes,
        ...previewRoutes({ cipher, publicUrl: config.POSTHORN_PUBLIC_URL }),
        ...commentRoutes({ publish: deps.publish, counted }),
        ...authoringRoutes,
        ...moderationRoutes(counted),
        ...importingRoutes(deps.findOrCreateAuthor),
      ],
      loops: [],
      stop: async () => close(),
    },
  };
}
