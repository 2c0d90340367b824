import type { Module, Platform } from '../../platform/platform.ts';
import { authoringRoutes } from './authoring/routes.ts';
import { exportingRoutes } from './exporting/routes.ts';
import type { ImportDeps } from './importing/import-posts.ts';
import { importingRoutes } from './importing/routes.ts';
import { createReadCache } from './reading/cache/create-read-cache.ts';
import { readingRoutes } from './reading/routes.ts';

export { createPost } from './authoring/create-post.ts';
export { publishPost } from './authoring/publish-post.ts';
export type { ImportedComment } from './importing/comment-import.ts';
export type { ImportItem } from './importing/item.ts';
export { importPosts, type ImportResult } from './importing/import-posts.ts';
export { type ExportedPost, exportPosts } from './exporting/export-posts.ts';
export { getPost } from './reading/get-post.ts';
export { listPosts } from './reading/list-posts.ts';
export type { Writer } from './rules.ts';

/** Functions of other parts that the blog calls. */
export type BlogDeps = ImportDeps;

/** The blog: public reads, authoring, import, export. */
export function createBlog(platform: Platform, deps: BlogDeps): { module: Module } {
  const { cache, close } = createReadCache(platform);
  return {
    module: {
      name: 'blog',
      routes: [...readingRoutes(cache), ...authoringRoutes, ...importingRoutes(deps), ...exportingRoutes],
      loops: [],
      stop: async () => close(),
    },
  };
}
