import { Gauge } from 'prom-client';
import { monotonicNow } from '../../lib/clock.ts';
import type { Module, Platform } from '../../platform/platform.ts';
import { forgetLoop } from './addresses/forget-changes.ts';
import { authoringRoutes } from './authoring/routes.ts';
import { createCommentReplies } from './comments/comment-reply.ts';
import type { FlagDeps } from './comments/create-comment.ts';
import { commentRoutes } from './comments/routes.ts';
import { GroupCommit } from './engagement/group-commit.ts';
import { engagementRoutes } from './engagement/routes.ts';
import { visitedPost } from './engagement/visited.ts';
import { exportingRoutes } from './exporting/routes.ts';
import type { ImportDeps } from './importing/import-posts.ts';
import { importingRoutes } from './importing/routes.ts';
import { moderationRoutes } from './moderation/routes.ts';
import { createPageActs, type PageActs } from './pages/acts.ts';
import { createPageReads, type PageReads } from './pages/reads.ts';
import { type PageCache, type WatchedReads, watchReads } from './pages/watch-reads.ts';
import { createReadCache } from './reading/cache/create-read-cache.ts';
import { checkRoutes } from './checks/routes.ts';
import { insightRoutes } from './insights/routes.ts';
import { previewRoutes } from './preview/routes.ts';
import { revisionRoutes } from './revisions/routes.ts';
import { readingRoutes } from './reading/routes.ts';
import { renderingRoutes } from './rendering/routes.ts';
import { upkeepLoop } from './search/upkeep.ts';

export { createPost } from './authoring/create-post.ts';
export { publishPost } from './authoring/publish-post.ts';
export type { ImportedComment } from './importing/comment-item.ts';
export type { ImportItem } from './importing/item.ts';
export { importPosts, type ImportResult } from './importing/import-posts.ts';
export type { ExportedComments } from './exporting/export-comments.ts';
export { type ExportedPost, type ExportedRecord, exportPosts } from './exporting/export-posts.ts';
export { getPost } from './reading/get-post.ts';
export { listPosts } from './reading/list-posts.ts';
export type { Writer } from './rules.ts';
export { COMMENT_MAX, REASON_MAX } from './comments/rules.ts';
export type { Comment } from './comments/schemas.ts';
export { ID_PREFIX } from './rendering/headings.ts';
export type { Piece } from './pages/highlight.ts';
export type { PageReads } from './pages/reads.ts';
export type { Still, WatchedReads } from './pages/watch-reads.ts';
export type { PageActs } from './pages/acts.ts';
export type { PostDetail, PostSummary, Sort, Taxonomy } from './schemas.ts';

/** Functions of other modules that the blog calls. */
export interface BlogDeps extends Omit<ImportDeps, 'counted'>, FlagDeps {}

/** Of BLOG_CACHE_MB, what pages made of the replies may take where there is a site. */
export const PAGES_SHARE = 1 / 4;

export interface Blog {
  module: Module;
  /** For the pages of a site. */
  pages: {
    reads: PageReads;
    acts: PageActs;
    /** The same reads for nobody in particular, which tell whether they would read the same again. */
    watch: () => WatchedReads;
  };
}

/** The blog: public reads, likes, views and shares, comments, authoring, import, export. */
export function createBlog(platform: Platform, deps: BlogDeps): Blog {
  const { db, reads, clock, cipher, metrics, config } = platform;
  const { cache, close } = createReadCache(platform, config.SITE ? 1 - PAGES_SHARE : 1);
  const counted = (postIds: readonly string[]): void => cache.counted(postIds);
  const group = new GroupCommit({ db, clock, onCommitted: counted });
  new Gauge({
    name: 'posthorn_engagement_waiting',
    help: 'Likes, views and shares that wait for their commit.',
    registers: [metrics],
    collect() {
      this.set(group.waiting);
    },
  });
  const engaging = { db, cipher, group, visited: visitedPost(db) };
  const commenting = { publish: deps.publish, marketplaceId: deps.marketplaceId, counted };
  const now = () => new Date(clock.now());
  const replies = createCommentReplies({ db, reads, cache, now });
  const publicUrl = config.POSTHORN_PUBLIC_URL;
  const createReads = (from: PageCache): PageReads =>
    createPageReads({ db, reads, cache: from, cipher, now, publicUrl });
  return {
    pages: {
      reads: createReads(cache),
      watch: () => watchReads({ cache, createReads, monotonic: monotonicNow }),
      acts: createPageActs(engaging, commenting),
    },
    module: {
      name: 'blog',
      routes: [
        // In the order of the API reference.
        ...readingRoutes({ cache, reads, publicUrl }),
        ...engagementRoutes(engaging),
        ...commentRoutes({ ...commenting, replies }),
        ...authoringRoutes,
        ...renderingRoutes,
        ...checkRoutes,
        ...previewRoutes({ cipher, publicUrl, hasSite: config.SITE }),
        ...revisionRoutes,
        ...importingRoutes({ ...deps, counted }),
        ...exportingRoutes,
        ...moderationRoutes(counted),
        ...insightRoutes(reads),
      ],
      loops: [upkeepLoop(db), forgetLoop(platform)],
      async stop() {
        await group.drain();
        close();
      },
    },
  };
}
