import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { flag, oneOf, pageNumber, text } from '../lib/search.ts';
import { shellRoute } from '../shell/shell-route.ts';

export interface CommentListSearch {
  status?: 'VISIBLE' | 'HIDDEN';
  /** With reports that nobody has decided on. */
  reported?: true;
  postId?: string;
  page?: number;
}

const commentsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: 'comments',
  validateSearch: (search: Record<string, unknown>): CommentListSearch => ({
    status: oneOf(search.status, 'VISIBLE', 'HIDDEN'),
    reported: flag(search.reported),
    postId: text(search.postId),
    page: pageNumber(search.page),
  }),
  component: lazyRouteComponent(() => import('./comments-page.tsx'), 'CommentsPage'),
});

const logRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: 'moderation-log',
  validateSearch: (search: Record<string, unknown>): { commentId?: string } => ({ commentId: text(search.commentId) }),
  component: lazyRouteComponent(() => import('./log-page.tsx'), 'LogPage'),
});

const rulesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: 'comment-rules',
  component: lazyRouteComponent(() => import('./rules-page.tsx'), 'RulesPage'),
});

export const moderationRoutes = [commentsRoute, logRoute, rulesRoute] as const;
