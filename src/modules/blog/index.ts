import type { Module, Platform } from '../../platform/platform.ts';
import { authoringRoutes } from './authoring/routes.ts';
import type { FindOrCreateAuthor } from './importing/import-posts.ts';
import { importingRoutes } from './importing/routes.ts';
import { createReadCache } from './reading/cache/create-read-cache.ts';
import { readingRoutes } from './reading/routes.ts';
import { renderingRoutes } from './rendering/routes.ts';
import { upkeepLoop } from './search/upkeep.ts';

export { createPost } from './authoring/create-post.ts';
export { publishPost } from './authoring/publish-post.ts';
export type { ImportItem } from './importing/item.ts';
export { importPosts } from './importing/import-posts.ts';
export { getPost } from './reading/get-post.ts';
export { listPosts } from './reading/list-posts.ts';
export type { Writer } from './rules.ts';

/** Functions of the accounts module that the blog calls. */
export interface BlogDeps {
  findOrCreateAuthor: FindOrCreateAuthor;
}

/** The blog: public reads, authoring, import. */
export function createBlog(platform: Platform, deps: BlogDeps): { module: Module } {
  const { cache, close } = createReadCache(platform);
  return {
    module: {
      name: 'blog',
      routes: [
        ...readingRoutes(cache, platform.config.POSTHORN_PUBLIC_URL),
        ...authoringRoutes,
        ...renderingRoutes,
        ...importingRoutes(deps.findOrCreateAuthor),
      ],
      loops: [upkeepLoop(platform.db)],
      stop: async () => close(),
    },
  };
}
